export { default } from "../../client-ts/eslint.config.mjs";
