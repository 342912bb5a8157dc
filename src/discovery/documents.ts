import type { JsonObject } from "../kernel/json.ts";
import { inSlices } from "../kernel/slices.ts";
import { yamlSlices, yamlText } from "../kernel/yaml-text.ts";
import { renderRobots } from "../policy/texts.ts";
import { currentPolicy } from "../policy/revisions.ts";
import type { Services } from "../ports/services.ts";
import { asyncapiDocument } from "./asyncapi.ts";
import { renderLlms, renderLlmsFull, renderLlmsIndex } from "./llms.ts";
import type { DocumentKey } from "./locations.ts";
import { openapiSlices } from "./openapi.ts";
import {
  renderAiPlugin,
  renderMcpCatalog,
  renderProvenance,
  renderServerCard,
  renderTrust,
  renderWebManifest,
} from "./well-known.ts";

type Render = (services: Services) => Promise<string> | string;

const json = (value: JsonObject): string => `${JSON.stringify(value, null, 2)}\n`;

const RENDERERS: Readonly<Record<DocumentKey, Render>> = {
  llms: renderLlms,
  llmsFull: renderLlmsFull,
  llmsIndex: (services) => json(renderLlmsIndex(services)),
  openapi: async (services) => inSlices(yamlSlices(await inSlices(openapiSlices(services)))),
  asyncapi: (services) => yamlText(asyncapiDocument(services)),
  webStatus: (services) => json(renderWebManifest(services)),
  legacyWeb4: (services) => json(renderWebManifest(services)),
  provenance: async (services) => json(await renderProvenance(services)),
  aiPlugin: (services) => json(renderAiPlugin(services)),
  trust: async (services) => json(await renderTrust(services)),
  robots: async (services) =>
    renderRobots(services.settings.baseUrl, (await currentPolicy(services)).policy.robotsDisallow),
  serverCard: (services) => json(renderServerCard(services)),
  serverCardEndpoint: (services) => json(renderServerCard(services)),
  mcpCatalog: (services) => json(renderMcpCatalog(services)),
};

/** Documents that follow from the registry and the settings alone: rendered once for each service. */
const FIXED: ReadonlySet<DocumentKey> = new Set([
  "llms",
  "llmsFull",
  "openapi",
  "asyncapi",
  "aiPlugin",
  "serverCard",
  "serverCardEndpoint",
  "mcpCatalog",
]);

/** Kept as bytes: a text takes two for every character as soon as one of them is not Latin-1. */
const rendered = new WeakMap<Services, Map<DocumentKey, Promise<Buffer>>>();

/** One discovery document, in UTF-8. */
export async function renderDocument(key: DocumentKey, services: Services): Promise<Buffer> {
  if (!FIXED.has(key)) return bytesOf(key, services);
  const known = rendered.get(services) ?? new Map<DocumentKey, Promise<Buffer>>();
  rendered.set(services, known);
  const bytes = known.get(key) ?? bytesOf(key, services);
  known.set(key, bytes);
  bytes.catch(() => known.delete(key));
  return bytes;
}

async function bytesOf(key: DocumentKey, services: Services): Promise<Buffer> {
  return Buffer.from(await RENDERERS[key](services));
}

/** True for a document that stays the same while the service runs. */
export function isFixed(key: DocumentKey): boolean {
  return FIXED.has(key);
}
