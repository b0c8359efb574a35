import { expect, test } from "vitest";

import { environmentDamage, pipFailure, venvFailure } from "../../../src/setup/failures.js";

test.each([
  [
    "The virtual environment was not created successfully because ensurepip is not available.",
    /apt install python3-venv/,
  ],
  ["/usr/bin/python3: No module named venv", /no venv module/],
  ["Error: [Errno 28] No space left on device", /disk is full/],
  ["Error: [Errno 13] Permission denied: '/x'", /can't be written/],
  ["something new", /Can't create.* with \/python: something new/],
  ["", /no reason was given/],
])("a failed venv is explained: %s", (output, words) => {
  expect(venvFailure(output, "/python").message).toMatch(words);
});

test.each([
  [
    "NewConnectionError('<...>: Failed to establish a new connection: [Errno -3] Temporary failure in name resolution')",
    /Can't reach.*http\.proxy/,
  ],
  [
    "ReadTimeoutError(\"HTTPSConnectionPool(host='x', port=443)\")\nERROR: No matching distribution found for msgspec",
    /Can't reach/,
  ],
  ["SSLError(SSLCertVerificationError(1, '[SSL: CERTIFICATE_VERIFY_FAILED]'))", /PIP_CERT/],
  [
    "ProxyError('Cannot connect to proxy.', OSError('Tunnel connection failed: 407'))",
    /proxy refused/,
  ],
  [
    "ERROR: No matching distribution found for orjson>=3.10",
    /package orjson>=3\.10 isn't available/,
  ],
  ["ERROR: Failed building wheel for msgspec", /package msgspec isn't available/],
  [
    "ERROR: THESE PACKAGES DO NOT MATCH THE HASHES FROM THE REQUIREMENTS FILE. If you have updated\n" +
      "    click==8.5.1 from file:///x/click-8.5.1-py3-none-any.whl (from -r /x (line 3)):\n" +
      "        Expected sha256 aa",
    /package click==8\.5\.1 differs.*not installed/,
  ],
  ["ERROR: ResolutionImpossible: for help visit ...", /doesn't have the required versions/],
  ["OSError: [Errno 28] No space left on device", /disk is full/],
  ["ERROR: a riddle", /Can't install.*: ERROR: a riddle/],
])("a failed install is explained: %s", (output, words) => {
  const { message } = pipFailure(output);
  expect(message).toMatch(words);
  expect(message).toMatch(/try again|log has details/);
});

test("a sidecar that lacks its modules has a damaged environment", () => {
  const reason = "exited with code 1: /venv/bin/python: No module named sidecar";
  expect(environmentDamage(reason)).toMatch(/damaged.*No module named sidecar.*Reinstall/);
  expect(environmentDamage("was killed by SIGKILL")).toBeUndefined();
});
