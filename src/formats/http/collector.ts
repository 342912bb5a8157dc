import { isJsonObject, isList, type Json, type JsonObject } from "../../kernel/json.ts";
import { holdsSecret, isSecretName, isToken } from "../../kernel/secrets.ts";
import type { ImportedConnection, Loss } from "../format.ts";
import type { HttpCall, Pair } from "./call.ts";
import { ConnectionDraft, reachOf, type Reach } from "./connection.ts";
import { type Placeholder, type Template, valueOf, plainText } from "./placeholders.ts";
import { usedFields } from "./input-fields.ts";
import { pathOf } from "./path.ts";
import { isHarmlessHeader, isSecretParameter, isSecretText } from "./secrets.ts";

/** A step that makes one HTTP request through a connection. */
export interface HttpStep {
  readonly tool: string;
  /** The name of the request, or its method and path. */
  readonly title: string;
  readonly with: JsonObject;
}

/** Headers that a client sets by itself, or that say something about the client and not about the request. */
const CLIENT_HEADERS =
  /^(?::.*|host|connection|content-length|transfer-encoding|upgrade.*|te|trailer|keep-alive|expect|user-agent|accept-encoding|accept-language|cache-control|pragma|origin|referer|dnt|priority|postman-token|sec-.*|if-none-match|if-modified-since|proxy-.*|x-requested-with)$/i;

/** Gathers the HTTP requests of an imported file into connections, and the secrets in them into what is needed. */
export class HttpCollector {
  readonly #drafts = new Map<string, ConnectionDraft>();
  readonly #names = new Set<string>();
  readonly #inputs = new Map<string, JsonObject>();
  readonly #required = new Set<string>();
  readonly #ids = new Map<string, string>();
  readonly #taken = new Set<string>();
  /** The last number behind each name. */
  readonly #numbers = new Map<string, number>();
  /** Fields of a form that starts the workflow, with what steps get of one that was left empty. */
  readonly #fields = new Map<string, Json | undefined>();
  readonly #lose: (loss: Loss) => void;

  constructor(lose: (loss: Loss) => void) {
    this.#lose = lose;
  }

  /** An input of the workflow by this name; the same one for the same word. */
  input(word: string, schema: JsonObject, fallback?: Json): Placeholder {
    const id = this.#idOf(word);
    if (!this.#inputs.has(id)) {
      this.#inputs.set(id, { ...schema, ...(fallback !== undefined && { default: fallback }) });
      if (fallback === undefined) this.#required.add(id);
    }
    const known = this.#fields.get(id) ?? this.#inputs.get(id)?.["default"];
    return {
      root: "inputs",
      id,
      path: [],
      ...(known !== undefined && { default: known }),
      ...(this.#inputs.get(id)?.["type"] === "array" && { isList: true }),
    };
  }

  /** A field of a form that starts the workflow: it is asked for, whether steps use it or not. */
  field(word: string, schema: JsonObject, isRequired: boolean, empty: Json): void {
    const id = this.#idOf(word);
    this.#inputs.set(id, schema);
    this.#fields.set(id, isRequired ? undefined : empty);
    if (isRequired) this.#required.add(id);
  }

  /** The name of the input for a word: another word that would have the same gets another. */
  #idOf(word: string): string {
    const known = this.#ids.get(word);
    if (known !== undefined) return known;
    const written = word
      .replaceAll(/\W/g, "_")
      .replace(/^(?=\d)/, "_")
      .slice(0, 60);
    const plain = written === "" || written === "__proto__" ? "value" : written;
    let id = plain;
    for (let nth = (this.#numbers.get(plain) ?? 1) + 1; this.#taken.has(id); nth++) {
      id = `${plain}_${nth}`;
      this.#numbers.set(plain, nth);
    }
    this.#taken.add(id);
    this.#ids.set(word, id);
    return id;
  }

  /** An input for a secret that stood in the file: its value is not taken over. */
  secretInput(word: string, pointer: string): Placeholder {
    this.#lose({
      pointer,
      what: `The secret value of ${quote(word)}.`,
      why: `It is not stored in a workflow; the run asks for it as the input ${quote(word)}.`,
    });
    return this.input(word, { type: "string", format: "password" });
  }

  /** The JSON Schema of the inputs that the steps use; one that only stood beside a secret is not among them. */
  inputsSchema(nodes: readonly JsonObject[]): JsonObject {
    const text = JSON.stringify(nodes);
    const used = new Set([...text.matchAll(/\binputs\.(\w+)/g)].map(([, name]) => name));
    const fields = usedFields(nodes);
    const inputs = [...this.#inputs]
      .filter(([name]) => used.has(name) || this.#fields.has(name))
      .map(
        ([name, schema]) =>
          [name, schema["type"] !== undefined ? schema : { ...schema, ...fields.get(name) }] as const,
      );
    const required = inputs.map(([name]) => name).filter((name) => this.#required.has(name));
    return {
      type: "object",
      properties: Object.fromEntries(inputs),
      ...(required.length > 0 && { required }),
    };
  }

  /** The connections that the steps call, each with its requests and the credential it needs. */
  connections(): readonly ImportedConnection[] {
    return [...this.#drafts.values()].map((draft) => draft.proposal());
  }

  /** The step that makes a call; null when its address says nothing. */
  step(call: HttpCall): HttpStep | null {
    const reach = reachOf(call.url);
    if (reach === null) return null;
    const draft = this.#draftOf(reach);
    for (const need of call.needs) this.#need(draft, need);
    if (reach.hasUser) this.#need(draft, { kind: "basic", pointer: call.pointer });
    const path = pathOf(reach.path, (word) => this.secretInput(word, call.pointer));
    const query = this.#pairs(draft, [...reach.query.map(at(call.pointer)), ...call.query], "query");
    const header = this.#pairs(draft, call.headers, "header");
    const body = this.#body(call);
    const name = draft.request(call, path.template, {
      path: path.values,
      query,
      header,
      body: body ?? undefined,
    });
    return {
      tool: `${draft.name}:${name}`,
      title: (call.name || `${call.method} ${path.template}`).slice(0, 200),
      with: {
        ...(Object.keys(path.values).length > 0 && { path: path.values }),
        ...(Object.keys(query).length > 0 && { query }),
        ...(Object.keys(header).length > 0 && { header }),
        ...(body !== null && { body }),
      },
    };
  }

  #draftOf(reach: Reach): ConnectionDraft {
    const known = this.#drafts.get(reach.key);
    if (known !== undefined) return known;
    const draft = new ConnectionDraft(reach, this.#names);
    this.#names.add(draft.name);
    this.#drafts.set(reach.key, draft);
    return draft;
  }

  #need(draft: ConnectionDraft, need: HttpCall["needs"][number]): void {
    if (draft.need(need)) return;
    const named = need.parameter === undefined ? need.kind : `${need.in ?? ""} ${need.parameter}`.trim();
    this.#lose({
      pointer: need.pointer,
      what: `A second credential (${named}) for ${draft.title}.`,
      why: "A connection has one credential; this one is not sent.",
    });
  }

  /** Headers or query parameters as arguments. Secrets among them become the credential that the connection needs. */
  #pairs(draft: ConnectionDraft, pairs: readonly Pair[], place: "header" | "query"): JsonObject {
    const values = new Repeated();
    for (const { name, value, pointer } of pairs) {
      if (name === "" || name.length > 200) continue;
      const text = plainText(value);
      if (place === "header" && (CLIENT_HEADERS.test(name) || /^content-type$/i.test(name))) continue;
      if (place === "header" && /^accept$/i.test(name) && text === "*/*") continue;
      const secret =
        place === "header" ? isSecretName(name) || isToken(text ?? "") : isSecretParameter(name, text ?? "");
      if (secret) {
        this.#secretPair(draft, name, value, place, pointer);
        continue;
      }
      if (place === "header" && !/^[!#$%&'*+.^_`|~\w-]+$/.test(name)) {
        this.#lose({ pointer, what: `The header ${quote(name)}.`, why: "It is no valid name of a header." });
        continue;
      }
      const isKept = place === "query" || text === null || isHarmlessHeader(name);
      values.add(name, this.value(isKept ? value : [this.#headerInput(name, pointer)], pointer));
    }
    return values.object();
  }

  /** An input for a header that may say who is asking: its value is not taken over. */
  #headerInput(name: string, pointer: string): Placeholder {
    this.#lose({
      pointer,
      what: `The value of the header ${quote(name)}.`,
      why: `It may identify a person; the run asks for it as the input ${quote(name)}.`,
    });
    return this.input(name, { type: "string" });
  }

  #secretPair(
    draft: ConnectionDraft,
    name: string,
    value: Template,
    place: "header" | "query",
    pointer: string,
  ): void {
    if (value.some((part) => typeof part !== "string" && part.root === "steps"))
      this.#lose({
        pointer,
        what: `That ${quote(name)} comes from the answer of an earlier step.`,
        why: "Credentials belong to the connection and are never values of a workflow.",
      });
    const [first] = value;
    const scheme = typeof first === "string" ? first.trim().split(/\s/, 1)[0]?.toLowerCase() : "";
    if (place === "header" && /^authorization$/i.test(name)) {
      if (scheme === "basic") return this.#need(draft, { kind: "basic", pointer });
      if (scheme === "bearer" || value.length > 1 || typeof first !== "string")
        return this.#need(draft, { kind: "bearer", pointer });
      return this.#need(draft, { kind: "apiKey", in: "header", parameter: "Authorization", pointer });
    }
    if (place === "header" && /^cookie$/i.test(name)) {
      const cookies = (plainText(value) ?? "")
        .split(";")
        .flatMap((part) => part.split("=", 1)[0]?.trim() ?? []);
      const names = cookies.filter((cookie) => cookie !== "");
      const chosen = names.find((cookie) => isSecretName(cookie) || /sess/i.test(cookie)) ?? names[0];
      this.#need(draft, { kind: "apiKey", in: "cookie", parameter: chosen ?? "session", pointer });
      const others = names.filter((cookie) => cookie !== chosen);
      if (others.length > 0)
        this.#lose({
          pointer,
          what: `The cookies ${others.slice(0, 10).map(quote).join(", ")}.`,
          why: "Only the cookie of the credential is sent.",
        });
      return;
    }
    this.#need(draft, { kind: "apiKey", in: place, parameter: name, pointer });
  }

  #body({ body, pointer }: HttpCall): Json | null {
    if (body === null) return null;
    const at = `${pointer}/body`;
    if (body.kind === "json") return this.withoutSecrets(body.value, at);
    if (body.kind === "text") {
      const text = plainText(body.text) ?? "";
      return this.value(isSecretText(text) ? [this.secretInput("body", at)] : body.text, at);
    }
    const values = new Repeated();
    for (const { name, value, pointer: place } of body.fields) {
      const text = plainText(value);
      const secret = text !== null && text !== "" && (isSecretName(name) || isSecretText(text));
      values.add(name, this.value(secret ? [this.secretInput(name, place)] : value, place));
    }
    return values.object();
  }

  /** A value whose secrets are inputs of the run. */
  withoutSecrets(value: Json, pointer: string, name = "secret"): Json {
    if (typeof value === "string") {
      const secret = value !== "" && (isSecretName(name) || isSecretText(value));
      return secret ? this.value([this.secretInput(name, pointer)], pointer) : value;
    }
    if (typeof value === "number" && holdsSecret(name, value))
      return this.value([this.secretInput(name, pointer)], pointer);
    if (isList(value)) {
      const [first] = value;
      const paired = value.length === 2 && typeof first === "string" && isSecretName(first) ? first : name;
      return value.map((item, index) =>
        this.withoutSecrets(item, `${pointer}/${index}`, index === 0 ? name : paired),
      );
    }
    if (!isJsonObject(value) || value["$ref"] !== undefined || value["$expr"] !== undefined) return value;
    // Headers, cookies and variables are often lists of names with values.
    const { name: first, key: second } = value;
    const paired = typeof first === "string" ? first : typeof second === "string" ? second : "value";
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => [
        key,
        this.withoutSecrets(item ?? null, `${pointer}/${key}`, key === "value" ? paired : key),
      ]),
    );
  }

  /** The value of a template. */
  value(template: Template, pointer: string): Json {
    return valueOf(template, () =>
      this.#lose({
        pointer,
        what: "A long text with values in it.",
        why: "Its values stay as names in braces.",
      }),
    );
  }
}

/** Values by name; a name that stands several times has a list. */
class Repeated {
  readonly #values = new Map<string, Json[]>();

  add(name: string, value: Json): void {
    const known = this.#values.get(name);
    if (known === undefined) this.#values.set(name, [value]);
    else known.push(value);
  }

  object(): JsonObject {
    return Object.fromEntries(
      [...this.#values].map(([name, values]) => [name, values.length === 1 ? (values[0] ?? null) : values]),
    );
  }
}

function at(pointer: string): (pair: { readonly name: string; readonly value: Template }) => Pair {
  return (pair) => ({ ...pair, pointer: `${pointer}/url` });
}

/** A name from outside, short enough for a sentence. */
export function quote(text: string): string {
  return JSON.stringify(text.length > 80 ? `${text.slice(0, 79)}…` : text);
}
