import { AppError } from "../kernel/errors.ts";
import { isJsonObject, type Json, type JsonObject } from "../kernel/json.ts";
import { isSecretName, isToken } from "../kernel/secrets.ts";
import type { Imported } from "./format.ts";
import type { CredentialNeed, HttpBody, HttpCall, Pair } from "./http/call.ts";
import { HttpCollector, quote } from "./http/collector.ts";
import { bodyOf } from "./http/curl.ts";
import { jsonOf, type Placeholder, type Template } from "./http/placeholders.ts";
import { Losses, sequenceOf, stepIds } from "./http/sequence.ts";
import { savedResponses } from "./postman-scripts.ts";
import { listAt, objectAt, textAt } from "./reading.ts";

/* Long on purpose: one reader, whose methods share the variables and losses of a collection. */

const MAX_DEPTH = 20;
const MAX_REQUESTS = 2_000;

/** True for a Postman collection. */
export function isPostman(given: JsonObject): boolean {
  const info = objectAt(given, "info");
  return (
    Array.isArray(given["item"]) &&
    (info["_postman_id"] !== undefined ||
      /getpostman|postman/.test(textAt(info, "schema")) ||
      info["name"] !== undefined)
  );
}

/** Reads a Postman collection (v2.0 or v2.1): its requests become steps in their order. */
export function importPostman(given: JsonObject): Imported {
  return new PostmanReader(given).read();
}

interface CollectionItem {
  readonly item: JsonObject;
  readonly request: JsonObject;
  readonly auth: JsonObject | null;
  readonly pointer: string;
  readonly folder: string;
}

class PostmanReader {
  readonly #given: JsonObject;
  readonly #losses = new Losses();
  readonly #collector = new HttpCollector(this.#losses.lose);
  readonly #variables = new Map<string, string>();
  /** Variables that a script sets from an answer. */
  readonly #kept = new Map<string, Placeholder>();

  constructor(given: JsonObject) {
    this.#given = given;
    for (const item of listAt(given, "variable").filter(isJsonObject)) {
      const value = item["value"];
      const key = textAt(item, "key") || textAt(item, "id");
      if (item["disabled"] !== true && (typeof value === "string" || typeof value === "number"))
        this.#variables.set(key, String(value));
    }
  }

  read(): Imported {
    const found: CollectionItem[] = [];
    this.#walk(this.#given, "", objectOrNull(this.#given["auth"]), "", found, 0);
    if (found.length === 0) throw new AppError("invalid_input", "The Postman collection has no requests.");
    this.#scripts(this.#given, "");
    const heads = found.map(({ item, request }) => ({
      name: textAt(item, "name"),
      method: textAt(request, "method"),
      url: [],
    }));
    const ids = stepIds(heads);
    // In the order of the steps: a variable that a script sets is known to the requests after it.
    const calls = found.map((entry, index) => {
      const call = this.#call(entry);
      this.#answers(entry, ids[index] ?? "");
      return call;
    });
    if (found.some(({ folder }) => folder !== ""))
      this.#losses.lose({
        pointer: "/item",
        what: "The folders.",
        why: "Their requests stand one after the other; the name of the folder is in the description of a step.",
      });
    const info = objectAt(this.#given, "info");
    return sequenceOf({
      format: "postman",
      name: textAt(info, "name") || "Postman collection",
      description: textOf(info["description"]),
      calls,
      collector: this.#collector,
      losses: this.#losses,
      ids,
    });
  }

  #walk(
    holder: JsonObject,
    pointer: string,
    auth: JsonObject | null,
    folder: string,
    found: CollectionItem[],
    depth: number,
  ): void {
    if (depth > MAX_DEPTH) {
      this.#losses.lose({ pointer, what: "Folders.", why: `They are nested deeper than ${MAX_DEPTH}.` });
      return;
    }
    listAt(holder, "item").forEach((item, index) => {
      if (!isJsonObject(item) || found.length >= MAX_REQUESTS) return;
      const at = `${pointer}/item/${index}`;
      const own = objectOrNull(item["auth"]) ?? auth;
      if (Array.isArray(item["item"])) {
        const name = [folder, textAt(item, "name")].filter((part) => part !== "").join(" / ");
        this.#scripts(item, at);
        this.#walk(item, at, own, name, found, depth + 1);
        return;
      }
      const given = item["request"];
      const request = typeof given === "string" ? { method: "GET", url: given } : objectOrNull(given);
      if (request === null) {
        this.#losses.lose({
          pointer: at,
          what: `The item ${quote(textAt(item, "name"))}.`,
          why: "It has no request.",
        });
        return;
      }
      found.push({
        item,
        request,
        auth: objectOrNull(request["auth"]) ?? own,
        pointer: at,
        folder,
      });
    });
  }

  #call({ item, request, auth, pointer, folder }: CollectionItem): HttpCall {
    const at = `${pointer}/request`;
    const saved = listAt(item, "response").length;
    if (saved > 0)
      this.#losses.lose({
        pointer: `${pointer}/response`,
        what: `${saved === 1 ? "1 saved example answer" : `${saved} saved example answers`} of ${quote(textAt(item, "name"))}.`,
        why: "A step has no examples; run it to see its answer.",
      });
    for (const setting of Object.keys(objectAt(item, "protocolProfileBehavior")))
      this.#losses.lose({
        pointer: `${pointer}/protocolProfileBehavior/${setting}`,
        what: `The setting ${quote(setting)}.`,
        why: "The service's own HTTP settings are used.",
      });
    const { url, query } = this.#address(request["url"], `${at}/url`);
    const headers = this.#pairs(request, "header", `${at}/header`);
    const type = headers.find(({ name }) => /^content-type$/i.test(name));
    const stated = type === undefined ? null : type.value.filter((part) => typeof part === "string").join("");
    const description = textOf(request["description"]) || textOf(item["description"]);
    return {
      name: textAt(item, "name"),
      description: folder === "" ? description : [`In ${folder}.`, description].join(" ").trim(),
      method: (textAt(request, "method") || "GET").toUpperCase(),
      url,
      query,
      headers,
      body: this.#body(request["body"], stated, `${at}/body`),
      needs: this.#needs(auth, `${at}/auth`),
      pointer: at,
    };
  }

  #address(given: Json | undefined, pointer: string): { url: Template; query: readonly Pair[] } {
    if (typeof given === "string") return { url: this.#template(given, pointer), query: [] };
    const url = objectOrNull(given) ?? {};
    const host = url["host"];
    const path = url["path"];
    const text = (value: Json | undefined, by: string): string =>
      typeof value === "string"
        ? value
        : Array.isArray(value)
          ? value
              .map((part: Json) =>
                isJsonObject(part)
                  ? textAt(part, "value")
                  : typeof part === "string"
                    ? part
                    : JSON.stringify(part),
              )
              .join(by)
          : "";
    const raw = textAt(url, "raw").split(/[?#]/, 1)[0] ?? "";
    const protocol = textAt(url, "protocol");
    const port = textAt(url, "port");
    const built = `${protocol === "" ? "" : `${protocol}://`}${text(host, ".")}${port === "" ? "" : `:${port}`}/${text(path, "/")}`;
    const address = host === undefined ? raw : built;
    const named = new Map(
      listAt(url, "variable")
        .filter(isJsonObject)
        .map((item) => [textAt(item, "key") || textAt(item, "id"), item["value"] ?? null] as const),
    );
    // `:id` is a parameter of the path; a colon before digits is a port.
    const parts = address.split(/(?<=\/)(:[A-Za-z_]\w*)/).flatMap((part): (string | Placeholder)[] => {
      if (!/^:[A-Za-z_]/.test(part)) return [...this.#template(part, pointer)];
      const word = part.slice(1);
      const value = named.get(word);
      const inside = typeof value === "string" ? this.#template(value, pointer) : [];
      const [only] = inside;
      if (inside.length === 1 && typeof only === "object") return [only];
      const fixed =
        typeof value === "number" ? value : inside.every((p) => typeof p === "string") ? inside.join("") : "";
      if (fixed === "") return [this.#collector.input(word, { type: ["string", "number"] })];
      return [this.#collector.input(word, { type: typeof fixed }, fixed)];
    });
    return { url: parts, query: this.#pairs(url, "query", `${pointer}/query`) };
  }

  #pairs(holder: JsonObject, key: string, pointer: string): readonly Pair[] {
    const given = holder[key];
    // Version 2.0 also allows the headers as one text.
    const list: readonly Json[] =
      typeof given === "string"
        ? given.split("\n").map((line) => {
            const at = line.indexOf(":");
            return { key: line.slice(0, at).trim(), value: line.slice(at + 1).trim() };
          })
        : listAt(holder, key);
    return list.flatMap((item, index) => {
      if (!isJsonObject(item) || textAt(item, "key") === "") return [];
      const at = `${pointer}/${index}`;
      if (item["disabled"] === true) {
        this.#losses.lose({
          pointer: at,
          what: `The switched-off ${key === "header" ? "header" : "parameter"} ${quote(textAt(item, "key"))}.`,
          why: "Only what is sent is taken over.",
        });
        return [];
      }
      return [{ name: textAt(item, "key"), value: this.#template(textAt(item, "value"), at), pointer: at }];
    });
  }

  #body(given: Json | undefined, stated: string | null, pointer: string): HttpBody | null {
    const body = objectOrNull(given);
    if (body === null || body["disabled"] === true) return null;
    const mode = textAt(body, "mode");
    if (mode === "raw") {
      const text = textAt(body, "raw");
      const language = textAt(objectAt(objectAt(body, "options"), "raw"), "language");
      const type =
        stated ?? { json: "application/json", xml: "application/xml", html: "text/html" }[language] ?? null;
      if (text === "") return null;
      const read = bodyOf(this.#template(text, pointer), type, pointer);
      if (type === "application/json" && read.kind !== "json")
        this.#losses.lose({
          pointer,
          what: "The structure of the body.",
          why: "It is no valid JSON and kept as text.",
        });
      return read;
    }
    if (mode === "urlencoded")
      return {
        kind: "fields",
        fields: this.#pairs(body, mode, `${pointer}/urlencoded`),
        contentType: "application/x-www-form-urlencoded",
      };
    if (mode === "formdata") {
      listAt(body, mode).forEach((item, index) => {
        if (isJsonObject(item) && item["type"] === "file")
          this.#losses.lose({
            pointer: `${pointer}/formdata/${index}`,
            what: `The file of the field ${quote(textAt(item, "key"))}.`,
            why: "Files of another machine are not read; give its content in the step.",
          });
      });
      return {
        kind: "fields",
        fields: this.#pairs(body, mode, `${pointer}/formdata`),
        contentType: "multipart/form-data",
      };
    }
    if (mode === "graphql") {
      const graphql = objectAt(body, "graphql");
      const variables = jsonOf(this.#template(textAt(graphql, "variables"), pointer), () => {});
      const query = this.#collector.value(this.#template(textAt(graphql, "query"), pointer), pointer);
      return {
        kind: "json",
        value: { query, ...(variables !== undefined && { variables }) },
        contentType: "application/json",
      };
    }
    if (mode === "file") {
      this.#losses.lose({
        pointer,
        what: "The file that is sent.",
        why: "Give its content as the body of the step.",
      });
      return { kind: "text", text: [""], contentType: stated ?? "application/octet-stream" };
    }
    return null;
  }

  #needs(auth: JsonObject | null, pointer: string): readonly CredentialNeed[] {
    const type = auth === null ? "noauth" : textAt(auth, "type");
    if (auth === null || type === "noauth" || type === "") return [];
    // Version 2.1 has a list of keys and values, version 2.0 an object.
    const listed = listAt(auth, type).filter(isJsonObject);
    const settings: JsonObject =
      listed.length > 0
        ? Object.fromEntries(listed.map((item) => [textAt(item, "key"), item["value"] ?? null]))
        : objectAt(auth, type);
    if (type === "bearer") return [{ kind: "bearer", pointer }];
    if (type === "basic") {
      const username = textAt(settings, "username");
      const isPlain = username !== "" && !username.includes("{{") && !isToken(username);
      return [{ kind: "basic", ...(isPlain && { username }), pointer }];
    }
    if (type === "apikey") {
      const place = textAt(settings, "in") === "query" ? "query" : "header";
      return [{ kind: "apiKey", in: place, parameter: textAt(settings, "key") || "X-API-Key", pointer }];
    }
    if (type === "oauth2") return [{ kind: "oauth2", pointer }];
    this.#losses.lose({
      pointer,
      what: `Authentication of the kind ${quote(type)}.`,
      why: "There are bearer tokens, API keys, user names with passwords, and OAuth 2.",
    });
    return [{ kind: "other", called: type, pointer }];
  }

  /** Scripts of the collection or a folder. */
  #scripts(holder: JsonObject, pointer: string): void {
    listAt(holder, "event").forEach((event, index) => {
      if (isJsonObject(event) && scriptOf(event).trim() !== "")
        this.#loseScript(event, `${pointer}/event/${index}`, holder);
    });
  }

  #loseScript(event: JsonObject, pointer: string, holder: JsonObject): void {
    const name = textAt(holder, "name") || textAt(objectAt(holder, "info"), "name");
    this.#losses.lose({
      pointer,
      what: `The ${textAt(event, "listen") === "prerequest" ? "script before" : "test script of"} ${quote(name)}.`,
      why: "Scripts are not run. Use expressions, conditions or an approval.",
    });
  }

  /** Variables that the test script of a request sets from its answer are references to that step. */
  #answers({ item, pointer }: CollectionItem, step: string): void {
    listAt(item, "event").forEach((event, index) => {
      if (!isJsonObject(event)) return;
      const script = scriptOf(event);
      if (script.trim() === "") return;
      const { kept, whole } =
        textAt(event, "listen") === "test" ? savedResponses(script) : { kept: [], whole: false };
      for (const { name, path } of kept)
        this.#kept.set(name, { root: "steps", id: step, path: ["data", "body", ...path] });
      if (!whole) this.#loseScript(event, `${pointer}/event/${index}`, item);
    });
  }

  /** A text in which `{{name}}` is a value: set by a script, known to the collection, or an input of the run. */
  #template(text: string, pointer: string): Template {
    return this.#expand(text, pointer, 0);
  }

  #expand(text: string, pointer: string, depth: number): Template {
    if (!text.includes("{{")) return text === "" ? [] : [text];
    return text.split(/(\{\{[^{}]{1,200}\}\})/).flatMap((part): Template => {
      if (!part.startsWith("{{") || !part.endsWith("}}")) return part === "" ? [] : [part];
      const name = part.slice(2, -2).trim();
      const kept = this.#kept.get(name);
      if (kept !== undefined) return [kept];
      const value = this.#variables.get(name);
      if (name.startsWith("$")) {
        this.#losses.lose({
          pointer,
          what: `The generated value ${quote(part)}.`,
          why: "It is asked for as an input of the run.",
        });
        return [this.#collector.input(name.slice(1), { type: "string" })];
      }
      const isAddress =
        value !== undefined && /^(?:https?:\/\/|[\w.-]+\.[a-z]{2,}(?:[:/]|$)|localhost)/i.test(value);
      if (value !== undefined && (isAddress || value.includes("{{")) && depth < 5)
        return this.#expand(value, pointer, depth + 1);
      const secret = isSecretName(name) || (value !== undefined && isToken(value));
      const type = value === undefined || value === "" ? ["string", "number"] : "string";
      const schema = secret ? { type: "string", format: "password" } : { type };
      return [this.#collector.input(name, schema, secret || value === "" ? undefined : value)];
    });
  }
}

function objectOrNull(value: Json | undefined): JsonObject | null {
  return isJsonObject(value) ? value : null;
}

/** A description is a text, or an object that has one. */
function textOf(value: Json | undefined): string {
  if (typeof value === "string") return value.slice(0, 4_000);
  return isJsonObject(value) ? textAt(value, "content").slice(0, 4_000) : "";
}

function scriptOf(event: JsonObject): string {
  const { exec } = objectAt(event, "script");
  if (typeof exec === "string") return exec;
  return Array.isArray(exec) ? exec.filter((line) => typeof line === "string").join("\n") : "";
}
