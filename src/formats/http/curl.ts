import type { Loss } from "../format.ts";
import type { CredentialNeed, HttpBody, HttpCall, Pair } from "./call.ts";
import { jsonOf, merged, plainText, type Placeholder, type Template } from "./placeholders.ts";
import { shellCommands, type ShellCommand } from "./shell-words.ts";

/** Options with a value, by their letter. */
const SHORT: Readonly<Record<string, string>> = {
  X: "request",
  H: "header",
  d: "data",
  F: "form",
  u: "user",
  b: "cookie",
  A: "user-agent",
  e: "referer",
  T: "upload-file",
  o: "output",
  m: "max-time",
  x: "proxy",
  c: "cookie-jar",
  E: "cert",
  w: "write-out",
  r: "range",
  U: "proxy-user",
  D: "dump-header",
  C: "continue-at",
  Y: "speed-limit",
  y: "speed-time",
  z: "time-cond",
  K: "config",
};
const LONG_WITH_VALUE = new Set([
  ...Object.values(SHORT),
  ..."data-raw data-binary data-ascii data-urlencode json form-string url url-query oauth2-bearer connect-timeout retry retry-delay retry-max-time resolve cacert key interface limit-rate max-redirs aws-sigv4 unix-socket proto noproxy ciphers tls-max request-target http-proxy".split(
    " ",
  ),
]);
/** Flags that change nothing about the request itself. */
const HARMLESS = new Set(
  "silent show-error verbose location compressed include fail fail-with-body globoff progress-bar http1.1 http1.0 http2 http2-prior-knowledge http3 tlsv1.2 tlsv1.3 no-buffer ipv4 ipv6 next path-as-is no-progress-meter styled-output tcp-nodelay no-keepalive output write-out dump-header cookie-jar user-agent referer connect-timeout max-redirs retry-delay retry-max-time limit-rate remote-name remote-header-name create-dirs s S v L i f g G I N O J 4 6 0 2 3 #".split(
    " ",
  ),
);

/** One curl command, and how often and how long it is repeated. */
export interface CurlCall extends HttpCall {
  readonly maxAttempts: number | null;
  readonly timeoutMs: number | null;
}

/** True when a text begins with a curl command. */
export function isCurl(text: string): boolean {
  return /^\s*(?:#[^\n]*\n\s*)*(?:\$\s+)?curl(?:\.exe)?\s/.test(text.slice(0, 20_000));
}

/** The requests that a text of curl commands makes; everything else in it is named. */
export function curlCalls(
  text: string,
  placeholder: (name: string) => Placeholder,
  lose: (loss: Loss) => void,
): readonly CurlCall[] {
  return shellCommands(text, placeholder).flatMap((command) => {
    const words = command.words.map((word) => plainText(word));
    const at = `/line/${command.line}`;
    const start = words[0] === "$" ? 1 : 0;
    const program = words[start] ?? "";
    if (!/(?:^|\/)curl(?:\.exe)?$/.test(program)) {
      lose({
        pointer: at,
        what: `The command ${JSON.stringify((program || "…").slice(0, 60))}.`,
        why: "Only curl is read; nothing else is run.",
      });
      return [];
    }
    if (command.end === "|" || command.end === ">")
      lose({
        pointer: at,
        what: "What happens with the answer after the command.",
        why: "The answer is the step's output; use it in the next step.",
      });
    return callsOf(command, start + 1, at, lose);
  });
}

interface Gathered {
  method: string | null;
  urls: Template[];
  headers: Pair[];
  data: Template[];
  json: boolean;
  form: Pair[];
  query: Pair[];
  needs: CredentialNeed[];
  get: boolean;
  head: boolean;
  upload: boolean;
  maxAttempts: number | null;
  timeoutMs: number | null;
}

function callsOf(
  { words }: ShellCommand,
  from: number,
  pointer: string,
  lose: (loss: Loss) => void,
): readonly CurlCall[] {
  const calls: CurlCall[] = [];
  let gathered = empty();
  const finish = () => {
    calls.push(...gathered.urls.map((url, index) => callOf(gathered, url, index, pointer)));
    if (gathered.urls.length === 0)
      lose({ pointer, what: "A curl command without an address.", why: "There is nothing to call." });
    gathered = empty();
  };
  for (let at = from; at < words.length; at++) {
    const word = words[at] ?? [];
    const [first = ""] = word;
    if (typeof first !== "string" || !first.startsWith("-") || first === "-") {
      gathered.urls.push(word);
      continue;
    }
    if (first.startsWith("--")) {
      const [name = "", ...inline] = first.slice(2).split("=");
      if (name === "next") {
        finish();
        continue;
      }
      if (!LONG_WITH_VALUE.has(name)) flag(gathered, name, pointer, lose);
      else if (inline.length > 0) option(gathered, name, [inline.join("="), ...word.slice(1)], pointer, lose);
      else option(gathered, name, words[++at] ?? [], pointer, lose);
      continue;
    }
    // Letters can stand together, and the value directly behind the last one: -sSXPOST.
    for (let letter = 1; letter < first.length; letter++) {
      const name = SHORT[first[letter] ?? ""];
      if (name === undefined) {
        flag(gathered, first[letter] ?? "", pointer, lose);
        continue;
      }
      const attached = [first.slice(letter + 1), ...word.slice(1)].filter((part) => part !== "");
      option(gathered, name, attached.length > 0 ? attached : (words[++at] ?? []), pointer, lose);
      break;
    }
  }
  finish();
  return calls;
}

function empty(): Gathered {
  return {
    method: null,
    urls: [],
    headers: [],
    data: [],
    json: false,
    form: [],
    query: [],
    needs: [],
    get: false,
    head: false,
    upload: false,
    maxAttempts: null,
    timeoutMs: null,
  };
}

function flag(gathered: Gathered, name: string, pointer: string, lose: (loss: Loss) => void): void {
  if (name === "G" || name === "get") gathered.get = true;
  else if (name === "I" || name === "head") gathered.head = true;
  else if (name === "k" || name === "insecure")
    lose({ pointer, what: "The option --insecure.", why: "Certificates are always checked." });
  else if (!HARMLESS.has(name))
    lose({
      pointer,
      what: `The option ${name.length === 1 ? "-" : "--"}${name.slice(0, 40)}.`,
      why: "It is not known here.",
    });
}

function option(
  gathered: Gathered,
  name: string,
  value: Template,
  pointer: string,
  lose: (loss: Loss) => void,
): void {
  const text = plainText(value);
  const file = typeof value[0] === "string" && value[0].startsWith("@");
  switch (name) {
    case "request":
      gathered.method = (text ?? "GET").toUpperCase();
      return;
    case "url":
      gathered.urls.push(value);
      return;
    case "header": {
      const header = split(value, ":");
      gathered.headers.push({ ...header, pointer: `${pointer}/header/${header.name}` });
      return;
    }
    case "json":
      gathered.json = true;
      gathered.data.push(value);
      return;
    case "data":
    case "data-ascii":
    case "data-binary":
    case "data-urlencode":
    case "data-raw":
      if (name === "data-raw" || !file) {
        gathered.data.push(name === "data-urlencode" ? encoded(value) : value);
        return;
      }
      lose({
        pointer,
        what: `The content of the file ${JSON.stringify((text ?? "").slice(1, 80))}.`,
        why: "Files of another machine are not read; write the body in the step.",
      });
      gathered.data.push([""]);
      return;
    case "form":
    case "form-string": {
      const field = split(value, "=");
      const isFile = name === "form" && typeof field.value[0] === "string" && /^[@<]/.test(field.value[0]);
      if (isFile)
        lose({
          pointer: `${pointer}/form/${field.name}`,
          what: `The file of the field ${JSON.stringify(field.name.slice(0, 60))}.`,
          why: "Files of another machine are not read; give its content in the step.",
        });
      gathered.form.push({
        name: field.name,
        value: isFile ? [""] : field.value,
        pointer: `${pointer}/form/${field.name}`,
      });
      return;
    }
    case "url-query": {
      const pair = split(value, "=");
      gathered.query.push({ ...pair, pointer });
      return;
    }
    case "user": {
      const user = split(value, ":");
      const named = user.name !== "" && (plainText(user.value) ?? "x") !== "" && user.name.length < 100;
      gathered.needs.push({
        kind: "basic",
        ...(named && { username: user.name }),
        pointer: `${pointer}/user`,
      });
      return;
    }
    case "oauth2-bearer":
      gathered.needs.push({ kind: "bearer", pointer: `${pointer}/oauth2-bearer` });
      return;
    case "cookie":
      gathered.headers.push({ name: "Cookie", value, pointer: `${pointer}/cookie` });
      return;
    case "upload-file":
      gathered.upload = true;
      lose({ pointer, what: "The uploaded file.", why: "Give its content as the body of the step." });
      return;
    case "max-time":
      gathered.timeoutMs = Math.min(86_400_000, Math.max(1, Math.round(Number(text) * 1_000))) || null;
      return;
    case "retry":
      gathered.maxAttempts = Math.min(20, Math.max(2, Math.round(Number(text)) + 1)) || null;
      return;
    default:
      if (!HARMLESS.has(name))
        lose({ pointer, what: `The option --${name}.`, why: "The service's own settings are used." });
  }
}

/** A field whose value is still to be encoded. */
function encoded(value: Template): Template {
  const pair = split(value, "=");
  return [
    `${pair.name}=`,
    ...pair.value.map((part) => (typeof part === "string" ? encodeURIComponent(part) : part)),
  ];
}

function split(value: Template, separator: string): { readonly name: string; readonly value: Template } {
  const [first = "", ...rest] = value;
  if (typeof first !== "string") return { name: first.id, value: [] };
  const at = first.indexOf(separator);
  if (at === -1) return { name: first.trim(), value: rest };
  const after = first.slice(at + separator.length).trimStart();
  return { name: first.slice(0, at).trim(), value: [after, ...rest].filter((part) => part !== "") };
}

function callOf(gathered: Gathered, url: Template, index: number, pointer: string): CurlCall {
  const { headers, data, form, get } = gathered;
  const type = headers.find(({ name }) => /^content-type$/i.test(name));
  const stated = type === undefined ? null : plainText(type.value);
  const hasData = data.length > 0 && !get;
  const hasBody = hasData || form.length > 0 || gathered.upload;
  const method =
    gathered.method ?? (gathered.head ? "HEAD" : gathered.upload ? "PUT" : hasBody ? "POST" : "GET");
  return {
    name: "",
    description: "",
    method,
    url,
    query: [...gathered.query, ...(get ? data.flatMap((part) => fieldsOf(part, pointer)) : [])],
    headers,
    body:
      form.length > 0
        ? { kind: "fields", fields: form, contentType: "multipart/form-data" }
        : hasData
          ? bodyOf(joined(data), gathered.json ? "application/json" : stated, pointer)
          : gathered.upload
            ? { kind: "text", text: [""], contentType: stated ?? "application/octet-stream" }
            : null,
    needs: gathered.needs,
    pointer: index === 0 ? pointer : `${pointer}/${index}`,
    maxAttempts: gathered.maxAttempts,
    timeoutMs: gathered.timeoutMs,
  };
}

function joined(data: readonly Template[]): Template {
  return merged(data.flatMap((part, index) => (index === 0 ? part : ["&", ...part])));
}

/** A body by its content type, or by what it looks like when none is stated. */
export function bodyOf(text: Template, stated: string | null, pointer: string): HttpBody {
  const [contentType = ""] = (stated ?? "").split(";", 1).map((part) => part.trim().toLowerCase());
  const isForm = contentType === "application/x-www-form-urlencoded";
  const first = typeof text[0] === "string" ? text[0].trimStart() : "";
  if (contentType === "" ? /^[[{]/.test(first) : /[/+]json$/.test(contentType)) {
    const value = jsonOf(text, () => {});
    if (value !== undefined) return { kind: "json", value, contentType: contentType || "application/json" };
  }
  if (isForm || (contentType === "" && /^[\w.[\]%-]+=/.test(first)))
    return {
      kind: "fields",
      fields: fieldsOf(text, pointer),
      contentType: "application/x-www-form-urlencoded",
    };
  return { kind: "text", text, contentType: contentType || "text/plain" };
}

/** The fields of a text such as `a=1&b=2`. */
function fieldsOf(text: Template, pointer: string): readonly Pair[] {
  const fields: { name: string; value: (string | Placeholder)[] }[] = [];
  for (const part of text) {
    if (typeof part !== "string") {
      fields.at(-1)?.value.push(part);
      continue;
    }
    part.split("&").forEach((piece, index) => {
      const last = fields.at(-1);
      if (index === 0 && last !== undefined) {
        if (piece !== "") last.value.push(decoded(piece));
        return;
      }
      const equal = piece.indexOf("=");
      if (piece === "") return;
      const [name, value] = equal === -1 ? [piece, ""] : [piece.slice(0, equal), piece.slice(equal + 1)];
      fields.push({ name: decoded(name), value: value === "" ? [] : [decoded(value)] });
    });
  }
  return fields.map(({ name, value }) => ({ name, value, pointer: `${pointer}/data/${name}` }));
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    return text;
  }
}
