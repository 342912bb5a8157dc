import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import path from "node:path";
import {
  buildRequest,
  stringifyExact,
  viewValue,
  type BuiltRequest,
  type FormDocument,
  type FormValue,
} from "../../../packages/forms/src/index.ts";
import { hasRequest } from "../../../packages/forms/src/values/request.ts";
import { fileContent } from "../../kernel/file-value.ts";
import { isJson, isJsonObject, type Json } from "../../kernel/json.ts";
import { exitOfStatus } from "./http-outcome.ts";
import { jsonBlock, note } from "../results.ts";
import type { Cli } from "../command.ts";
import { Failure } from "../failure.ts";
import type { Result } from "../output.ts";
import { plainJson } from "./fill-schema.ts";
import { withValue } from "./value-edit.ts";

/** What sending a form's value means: a tool's call, an HTTP request, or nothing but the value. */
export function targetOf(form: FormDocument): "tool" | "request" | "value" {
  if (hasRequest(form.source)) return "request";
  return form.source.kind === "mcp_tool" || form.source.kind === "ascii_conversion" ? "tool" : "value";
}

/** What would be sent, with secrets taken out. */
export function preview(form: FormDocument, value: FormValue): string {
  const shown = withoutSecrets(form, value);
  const { source } = form;
  if (hasRequest(source)) return requestText(buildRequest(source.request, shown));
  const text = stringifyExact(shown, "  ");
  return targetOf(form) === "tool" ? `tools/call ${source.ref ?? ""}\n${text}` : text;
}

function withoutSecrets(form: FormDocument, value: FormValue): FormValue {
  let shown: FormValue = value;
  for (const { pointer, field } of viewValue(form, value).leaves) {
    if (field.secret === true) shown = withValue(shown, pointer, "…") ?? null;
  }
  return shown;
}

function requestText({ method, url, headers, body, parts }: BuiltRequest): string {
  return [
    `${method} ${url}`,
    ...headers.map(([name, text]) => `${name}: ${text}`),
    ...(body === null ? [] : ["", body]),
    ...parts.map(({ name, value, file }) => `${name}=${file ? "@" : ""}${value}`),
  ].join("\n");
}

/** Sends a form's value: calls the tool, or makes the request. */
export async function send(cli: Cli, form: FormDocument, value: FormValue): Promise<Result> {
  const { source } = form;
  if (hasRequest(source)) return sendRequest(cli, buildRequest(source.request, value, true));
  const args = plainJson(value);
  if (!isJsonObject(args)) throw new Failure("usage", "The arguments of a tool are an object.");
  const name = source.ref ?? "";
  const envelope =
    source.server === undefined
      ? await cli.client().call(name, args)
      : await cli.client().call("execute_mcp_tool", { name, arguments: args });
  return { envelope, view: [jsonBlock(envelope.data)] };
}

async function sendRequest(cli: Cli, request: BuiltRequest): Promise<Result> {
  const [problem] = request.problems;
  if (problem !== undefined) throw new Failure("usage", `Not sent: ${problem.message}`);
  const url = URL.parse(request.url);
  if (url === null) throw new Failure("usage", `${request.url} is not an address.`);
  const headers = new Headers(request.headers.map(([name, text]): [string, string] => [name, text]));
  const key = cli.key();
  // Our own key goes to our own service and nowhere else.
  if (key !== null && url.origin === new URL(cli.url()).origin)
    headers.set("authorization", `Bearer ${key.value}`);
  let response: Response;
  try {
    response = await fetch(url, {
      method: request.method,
      headers,
      ...(await bodyOf(request)),
      redirect: "manual",
    });
  } catch {
    throw new Failure("unavailable", `${url.origin} cannot be reached.`);
  }
  const text = await response.text();
  const body = parsedBody(text);
  const data = { status: response.status, body };
  const status = exitOfStatus(response.status);
  return {
    envelope: { ok: response.ok, data },
    view: [
      note(`${response.status} ${response.statusText}`),
      typeof body === "string" ? { kind: "text", text: body } : jsonBlock(body),
    ],
    ...(status !== 0 && { status }),
  };
}

async function bodyOf(request: BuiltRequest): Promise<{ body?: string | FormData }> {
  if (request.parts.length === 0) return request.body === null ? {} : { body: request.body };
  const form = new FormData();
  for (const { name, value, file } of request.parts) {
    if (!file) form.append(name, value);
    else if (existsSync(value)) form.append(name, new Blob([await readFile(value)]), path.basename(value));
    else {
      const { bytes, type, fileName } = fileContent(value);
      form.append(name, new Blob([Buffer.from(bytes)], { type: type ?? "" }), fileName ?? name);
    }
  }
  return { body: form };
}

function parsedBody(text: string): Json {
  try {
    const value: unknown = JSON.parse(text);
    if (isJson(value)) return value;
  } catch {
    // Not JSON: shown as it is.
  }
  return text;
}
