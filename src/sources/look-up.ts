import { AppError } from "../kernel/errors.ts";
import { readYaml } from "../kernel/yaml.ts";
import { asyncapiEvent, isAsyncapi, openapiWebhook, unknownEvent, webhookNames } from "./asyncapi.ts";
import { readApi } from "./openapi.ts";
import {
  checkYamlSize,
  isJsonText,
  operationOf,
  type DescribedEvent,
  type DescribedOperation,
  type Question,
} from "./read-description.ts";

/* What a worker thread does with a description of another service. The main thread does not load it, nor YAML. */

/** The payload of an event that an AsyncAPI or OpenAPI document describes; null when it describes no events. */
function eventOf(document: unknown, eventName: string): DescribedEvent | null {
  if (isAsyncapi(document)) return asyncapiEvent(document, eventName);
  const api = readApi(document, "");
  const webhook = openapiWebhook(api, eventName);
  if (webhook) return webhook;
  if (api.webhooks.length > 0) throw unknownEvent(eventName, api.webhooks.flatMap(webhookNames));
  return null;
}

/** Reads the text of a description, JSON or YAML, and looks up what is asked. */
export function lookUp(
  text: string,
  baseUrl: string,
  question: Question,
): DescribedOperation | DescribedEvent | null {
  const document = parsedDescription(text);
  return question.kind === "event"
    ? eventOf(document, question.eventName)
    : operationOf(readApi(document, baseUrl), question.query, question.whole);
}

/** The text of a description, JSON or YAML, as what it says. */
export function parsedDescription(text: string): unknown {
  const isJson = isJsonText(text);
  if (!isJson) checkYamlSize(text);
  try {
    return isJson ? JSON.parse(text) : readYaml(text, { maxAliasCount: 100 });
  } catch (cause) {
    throw new AppError("invalid_input", "The service's description is neither JSON nor YAML.", { cause });
  }
}
