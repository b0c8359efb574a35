// Imported first of all, since modules read their texts while they load.
import { env } from "vscode";

import { setLanguage } from "./language.js";

setLanguage(env.language);
