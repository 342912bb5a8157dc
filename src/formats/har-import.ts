import { AppError } from "../kernel/errors.ts";
import { isJsonObject, type JsonObject } from "../kernel/json.ts";
import type { Imported } from "./format.ts";
import type { HttpBody, HttpCall, Pair } from "./http/call.ts";
import { HttpCollector } from "./http/collector.ts";
import { bodyOf } from "./http/curl.ts";
import { Losses, sequenceOf } from "./http/sequence.ts";
import { listAt, objectAt, textAt } from "./reading.ts";

/** What a page loads for itself, recognised by the kind that browsers note and by the type of the answer. */
const PAGE_KINDS =
  /^(?:document|stylesheet|script|image|font|media|manifest|texttrack|ping|preflight|websocket|eventsource|other)$/;
const PAGE_TYPES = /^(?:image|font|audio|video)\/|^text\/(?:html|css|javascript)|javascript|wasm/;

/** True for an HTTP archive. */
export function isHar(given: JsonObject): boolean {
  return Array.isArray(objectAt(given, "log")["entries"]);
}

/** Reads an HTTP archive (HAR 1.2): the calls of APIs become steps; what the page loaded for itself is left out. */
export function importHar(given: JsonObject): Imported {
  const log = objectAt(given, "log");
  const entries = listAt(log, "entries").filter(isJsonObject);
  const losses = new Losses();
  const collector = new HttpCollector(losses.lose);
  const chosen = entries.map((entry, index) => ({ entry, index })).filter(({ entry }) => isApiCall(entry));
  if (chosen.length === 0)
    throw new AppError(
      "invalid_input",
      `None of the ${entries.length} requests of the archive calls an API.`,
      {
        nextAction:
          "Record again while the page calls its API; pages, pictures, styles and scripts are left out.",
      },
    );
  if (chosen.length < entries.length)
    losses.lose({
      pointer: "/log/entries",
      what: `${entries.length - chosen.length} of ${entries.length} requests.`,
      why: "Pages, pictures, styles, scripts and preflight requests are no steps of a workflow.",
    });
  losses.lose({
    pointer: "/log/entries",
    what: "How one request depends on the answer of another.",
    why: "An archive does not say it: values are fixed as they were recorded. Choose references in the editor.",
  });
  const calls = chosen.map(({ entry, index }) => callOf(entry, index, losses));
  const [page] = listAt(log, "pages").filter(isJsonObject);
  const title = page === undefined ? "" : textAt(page, "title");
  return sequenceOf({
    format: "har",
    name: title === "" || /^https?:/.test(title) ? "Recorded requests" : title,
    description: textAt(log, "comment"),
    calls,
    collector,
    losses,
  });
}

function isApiCall(entry: JsonObject): boolean {
  const request = objectAt(entry, "request");
  const url = textAt(request, "url");
  if (!/^https?:/i.test(url) || textAt(request, "method") === "OPTIONS") return false;
  const kind = textAt(entry, "_resourceType");
  if (kind === "xhr" || kind === "fetch") return true;
  if (PAGE_KINDS.test(kind)) return false;
  const type = textAt(objectAt(objectAt(entry, "response"), "content"), "mimeType");
  return !PAGE_TYPES.test(type);
}

function callOf(entry: JsonObject, index: number, losses: Losses): HttpCall {
  const request = objectAt(entry, "request");
  const pointer = `/log/entries/${index}`;
  const headers = pairs(request, "headers", `${pointer}/request/headers`);
  const cookies = listAt(request, "cookies").filter(isJsonObject);
  const hasCookie = headers.some(({ name }) => /^cookie$/i.test(name));
  if (objectAt(entry, "response")["status"] === 0)
    losses.lose({ pointer, what: "Whether the request worked.", why: "The archive has no answer to it." });
  return {
    name: "",
    description: textAt(entry, "comment").slice(0, 4_000),
    method: textAt(request, "method").toUpperCase() || "GET",
    url: [textAt(request, "url")],
    query: [],
    headers: [
      ...headers,
      ...(cookies.length > 0 && !hasCookie
        ? [
            {
              name: "Cookie",
              value: [cookies.map((cookie) => `${textAt(cookie, "name")}=…`).join("; ")],
              pointer: `${pointer}/request/cookies`,
            },
          ]
        : []),
    ],
    body: postedBody(objectAt(request, "postData"), pointer, losses),
    needs: [],
    pointer,
  };
}

function pairs(value: JsonObject, key: string, pointer: string): readonly Pair[] {
  return listAt(value, key).flatMap((item, index) =>
    isJsonObject(item)
      ? [{ name: textAt(item, "name"), value: [textAt(item, "value")], pointer: `${pointer}/${index}` }]
      : [],
  );
}

function postedBody(posted: JsonObject, pointer: string, losses: Losses): HttpBody | null {
  const at = `${pointer}/request/postData`;
  const stated = textAt(posted, "mimeType");
  const text = textAt(posted, "text");
  const params = pairs(posted, "params", `${at}/params`);
  const multipart = /^multipart\/form-data/i.test(stated);
  if (params.length > 0) {
    listAt(posted, "params").forEach((item, index) => {
      if (isJsonObject(item) && textAt(item, "fileName") !== "")
        losses.lose({
          pointer: `${at}/params/${index}`,
          what: "The content of an uploaded file.",
          why: "An archive has only its name; give the content in the step.",
        });
    });
    return {
      kind: "fields",
      fields: params,
      contentType: multipart ? "multipart/form-data" : "application/x-www-form-urlencoded",
    };
  }
  if (text === "") return null;
  if (multipart)
    losses.lose({ pointer: at, what: "The parts of a form with files.", why: "They are kept as one text." });
  return bodyOf([text], stated === "" ? null : stated, at);
}

/** An archive without the answers' contents, which no import needs: what is left is much smaller. */
export function withoutAnswers(given: JsonObject): JsonObject {
  const log = objectAt(given, "log");
  return {
    log: {
      pages: listAt(log, "pages").slice(0, 1),
      entries: listAt(log, "entries")
        .filter(isJsonObject)
        .map((entry) => {
          const response = objectAt(entry, "response");
          return {
            _resourceType: textAt(entry, "_resourceType"),
            request: isApiCall(entry)
              ? objectAt(entry, "request")
              : { method: textAt(objectAt(entry, "request"), "method"), url: "page:" },
            response: {
              status: response["status"] ?? 0,
              content: { mimeType: textAt(objectAt(response, "content"), "mimeType") },
            },
          };
        }),
    },
  };
}

/** The text of a large archive without its answers; any other text as it is. */
export function smallerArchive(text: string): string {
  if (text.length < 300_000 || !/^\s*\{\s*"log"/.test(text)) return text;
  try {
    const given: unknown = JSON.parse(text);
    return isJsonObject(given) && isHar(given) ? JSON.stringify(withoutAnswers(given)) : text;
  } catch {
    return text;
  }
}
