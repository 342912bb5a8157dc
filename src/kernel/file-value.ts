import { decodedPart } from "./text.ts";
import { AppError } from "./errors.ts";

/** The bytes of a file, with what its value says about them. */
interface FileContent {
  readonly bytes: Uint8Array;
  readonly type: string | null;
  readonly fileName: string | null;
}

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
/** Shorter words may be base64 by chance; so may longer ones that hold letters and digits alone. */
const SURE_LENGTH = 16;
/** The head of a data URL is not longer. */
const MAX_HEAD = 2_000;

/** True for a data URL. */
export function isDataUrl(value: string): boolean {
  return dataHead(value) !== null;
}

/** What stands before the comma of a data URL; null for another text. */
function dataHead(value: string): string | null {
  if (!value.startsWith("data:")) return null;
  const end = value.slice(0, MAX_HEAD).indexOf(",");
  return end === -1 ? null : value.slice("data:".length, end);
}

/**
 * The file of a value: a data URL, which may name it (`data:text/csv;name=a.csv;base64,…`), base64, or else the text itself.
 * Throws for a word that may be either: sent as the wrong one, the file would be another.
 */
export function fileContent(value: string): FileContent {
  const head = dataHead(value);
  if (head === null) {
    const isBase64 = value.length >= 4 && BASE64.test(value);
    if (isBase64 && (value.length < SURE_LENGTH || !/[+/=]/.test(value))) throw eitherWay(value);
    return { type: null, fileName: null, bytes: Buffer.from(value, isBase64 ? "base64" : "utf8") };
  }
  const [type = "", ...parameters] = head.split(";");
  const rest = value.slice("data:".length + head.length + 1);
  const isBase64 = parameters.at(-1) === "base64";
  const named = parameters.find((parameter) => /^(?:file)?name=./.test(parameter));
  return {
    type: type === "" ? null : type,
    fileName: named === undefined ? null : decodedPart(named.slice(named.indexOf("=") + 1)),
    bytes: isBase64 ? Buffer.from(rest, "base64") : Buffer.from(decodedPart(rest)),
  };
}

function eitherWay(value: string): AppError {
  const shown = value.length > 24 ? `${value.slice(0, 24)}…` : value;
  const message = "may be text or base64";
  return new AppError("invalid_arguments", `Not sent: the file "${shown}" ${message}.`, {
    problems: [{ pointer: "/body", message, expected: "a data URL" }],
    nextAction: `Give it as a data URL: data:,${shown} for the text, data:;base64,${shown} for the bytes.`,
  });
}
