/** The width of a picture in a sheet, in CSS pixels. */
const MOST_WIDTH = 460;

/** Return a page with all pictures of one size, each with its name. */
export function sheetHtml(title, pictures, { width }) {
  const shown = Math.min(width, MOST_WIDTH);
  const figures = pictures.map(
    ({ name, file }) =>
      `<figure><figcaption>${name}</figcaption><img src="${file}" width="${shown}"></figure>`,
  );
  return `<!DOCTYPE html>
<meta charset="utf-8">
<title>${title}</title>
<style>
  body { font: 12px sans-serif; background: #777; color: #fff; display: flex; flex-wrap: wrap; gap: 10px; }
  figure { margin: 0; }
  img { display: block; }
</style>
${figures.join("\n")}
`;
}
