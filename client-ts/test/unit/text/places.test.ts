import { afterEach, expect, test } from "vitest";

import { byPath, isSameFile, pathInside, setHome, shortPath } from "../../../src/text/places.js";

afterEach(() => {
  setHome("");
});

test("paths below the home folder begin with ~, others stay as they are", () => {
  setHome("/home/ada/");
  expect(["/home/ada", "/home/ada/site/a.py"].map(shortPath)).toEqual(["~", "~/site/a.py"]);
  for (const other of ["/home/adam/site", "/home", "/srv/home/ada/x", "home/ada/x", ""]) {
    expect(shortPath(other)).toBe(other);
  }
});

test("without a home folder, in that of a system account and on Windows, paths are shown in full", () => {
  for (const home of ["", "/", "C:\\Users\\Ada"]) {
    setHome(home);
    for (const path of ["/srv/site", "C:\\Users\\Ada\\site"]) {
      expect(shortPath(path)).toBe(path);
    }
  }
});

test("the drive of Windows may be written in another case, and folders may be on a share", () => {
  expect(pathInside("C:\\Work\\shop\\a.py", "c:\\Work\\shop")).toBe("a.py");
  expect(pathInside("d:/Work/shop/a.py", "c:\\Work\\shop")).toBeUndefined();
  expect(pathInside("\\\\nas\\share\\shop\\a.py", "\\\\nas\\share\\shop")).toBe("a.py");
  expect(isSameFile("C:\\Work\\a.py", "c:/Work/a.py")).toBe(true);
  expect(isSameFile("C:\\Work\\a.py", "d:/Work/a.py")).toBe(false);
});

test("files are in the order of their paths, and numbers in names count as such", () => {
  const paths = ["/house/part10.py", "/house/part2.py", "/house/new.py", "/house/b/part1.py"];
  expect(paths.map((path) => ({ path })).sort(byPath)).toEqual(
    ["/house/b/part1.py", "/house/new.py", "/house/part2.py", "/house/part10.py"].map((path) => ({
      path,
    })),
  );
});
