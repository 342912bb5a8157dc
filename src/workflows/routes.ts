import { ok } from "../kernel/envelope.ts";
import { AppError } from "../kernel/errors.ts";
import { isJsonObject, type Json, type JsonObject } from "../kernel/json.ts";
import { requireScope } from "../ports/caller.ts";
import type { CallContext } from "../ports/definitions.ts";
import type { StartRun } from "../ports/engine.ts";
import type { HttpRequest, HttpRoute } from "../ports/http.ts";
import type { WorkflowVersionRecord } from "../ports/records.ts";
import { diffDocuments } from "./diff.ts";
import { exportFormatOf, exportWorkflow } from "./formats/index.ts";
import {
  deleteWorkflow,
  findWorkflow,
  missing,
  previewPublic,
  publishWorkflow,
  seenDocument,
  updateWorkflow,
  type SeenWorkflow,
} from "./library.ts";
import { fullView } from "./views.ts";
import { WorkflowDocumentSchema, type WorkflowDocument } from "./schema.ts";
import { importFrom } from "./import-request.ts";

const WORKFLOWS = "/api/svc/workflows";

/** What there is about workflows beside the tools: versions, differences, export and import. */
export const workflowRoutes: readonly HttpRoute[] = [
  {
    method: "GET",
    path: "/api/svc/workflow-schema",
    summary: "The JSON Schema of suite.workflow.v1.",
    access: "public",
    handle: () => ({ status: 200, body: ok({ schema: JSON.parse(JSON.stringify(WorkflowDocumentSchema)) }) }),
  },
  {
    method: "POST",
    path: `${WORKFLOWS}/import`,
    summary:
      "Reads a workflow from JSON, YAML, Arazzo, Serverless Workflow, n8n, Postman, HAR or curl; with save it is stored as a draft (key).",
    access: "mixed",
    handle: async ({ body, context }) => ({ status: 200, body: ok(await importFrom(body, context)) }),
  },
  {
    method: "DELETE",
    path: `${WORKFLOWS}/{id}`,
    summary: "Deletes a draft that was never published and never ran; anything else can be archived.",
    access: "key",
    async handle(request) {
      requireScope(request.context.caller, "write");
      await deleteWorkflow(idIn(request), request.context);
      return { status: 200, body: ok({ id: idIn(request), deleted: true }) };
    },
  },
  {
    method: "POST",
    path: `${WORKFLOWS}/{id}/publish`,
    summary:
      "Makes what the draft holds an immutable version. Who sees the workflow stays as it is: private unless it was made public.",
    access: "key",
    bodyOptional: true,
    async handle(request) {
      requireScope(request.context.caller, "write");
      const { record, version } = await publishWorkflow(idIn(request), request.context, false);
      return {
        status: 200,
        body: ok({ workflow: fullView(record), version: versionView(version, "full") }),
      };
    },
  },
  {
    method: "GET",
    path: `${WORKFLOWS}/{id}/visibility`,
    summary:
      "Who sees a workflow, what strangers see of it once it is public, and where texts that look like credentials keep it from being public.",
    access: "key",
    async handle(request) {
      requireScope(request.context.caller, "write");
      const { record } = await findWorkflow(idIn(request), request.context);
      const { workflow, secrets } = await previewPublic(record.id, request.context);
      const { visibility, publishedVersion } = record;
      return { status: 200, body: ok({ visibility, publishedVersion, strangersSee: workflow, secrets }) };
    },
  },
  {
    method: "PATCH",
    path: `${WORKFLOWS}/{id}/visibility`,
    summary: "Makes a workflow public or private again {visibility}.",
    access: "key",
    body: {
      type: "object",
      required: ["visibility"],
      properties: { visibility: { type: "string", enum: ["private", "public"] } },
    },
    async handle(request) {
      requireScope(request.context.caller, "write");
      const { visibility } = isJsonObject(request.body) ? request.body : {};
      const record = await updateWorkflow(
        idIn(request),
        { visibility: typeof visibility === "string" ? visibility : "" },
        request.context,
      );
      return { status: 200, body: ok({ workflow: fullView(record) }) };
    },
  },
  {
    method: "GET",
    path: `${WORKFLOWS}/{id}/export`,
    summary:
      "One workflow as json, yaml, arazzo, serverless or mermaid text, with everything that got lost named.",
    access: "mixed",
    async handle(request) {
      const format = exportFormatOf(request.query.get("format") ?? "json");
      const { record, document } = await chosen(request, request.query.get("version"));
      const { name, description, tags, publishedVersion: version } = record;
      const { baseUrl } = request.context.services.settings;
      const exported = exportWorkflow({ name, description, tags, version, document }, format, baseUrl);
      return { status: 200, body: ok({ ...exported, losses: exported.losses.map((loss) => ({ ...loss })) }) };
    },
  },
  {
    method: "GET",
    path: `${WORKFLOWS}/{id}/versions`,
    summary: "The published versions of a workflow, newest first (limit, cursor).",
    access: "mixed",
    async handle(request) {
      const { record, sight } = await findWorkflow(idIn(request), request.context);
      const cursor = request.query.get("cursor");
      const limit = Number(request.query.get("limit") ?? "50");
      if (!Number.isInteger(limit) || limit < 1 || limit > 100)
        throw new AppError("invalid_input", "limit is 1 to 100.");
      const { workflows } = request.context.services.store.read;
      const page = await workflows.versions(record.id, { limit, ...(cursor !== null && { cursor }) });
      return {
        status: 200,
        body: ok({
          versions: page.items.map((version) => versionView(version, sight)),
          nextCursor: page.nextCursor,
        }),
      };
    },
  },
  {
    method: "GET",
    path: `${WORKFLOWS}/{id}/versions/{version}`,
    summary: "One published version with its document; it never changes.",
    access: "mixed",
    async handle(request) {
      const { record, sight } = await findWorkflow(idIn(request), request.context);
      const version = await versionOf(record.id, request.path.split("/").pop() ?? "", request.context);
      const { document } = seenDocument(sight, version);
      return { status: 200, body: ok({ version: { ...versionView(version, sight), document } }) };
    },
  },
  {
    method: "POST",
    path: `${WORKFLOWS}/{id}/runs`,
    summary: "Starts a run of the stored draft or of a published version (version, inputs, idempotencyKey).",
    access: "key",
    async handle(request) {
      const { services, caller, trace } = request.context;
      requireScope(caller, "run");
      const { version, inputs, idempotencyKey } = startIn(request.body);
      const run = await services.engine.start({
        workflowId: idIn(request),
        inputs,
        caller,
        trace,
        ...(version !== undefined && { version }),
        ...(idempotencyKey !== undefined && { idempotencyKey }),
      });
      const { id, state, workflowVersion, documentDigest } = run;
      return { status: 202, body: ok({ run: { id, status: state, workflowVersion, documentDigest } }) };
    },
  },
  {
    method: "GET",
    path: `${WORKFLOWS}/{id}/diff`,
    summary: "How two versions of a workflow differ (from, to: a version number, or draft with a key).",
    access: "mixed",
    async handle(request) {
      const from = await chosen(request, request.query.get("from"));
      const to = await chosen(request, request.query.get("to"));
      const diff = diffDocuments(from.document, to.document);
      return { status: 200, body: ok({ from: from.digest, to: to.digest, diff }) };
    },
  },
];

function idIn({ path }: HttpRequest): string {
  const [part = ""] = path.slice(WORKFLOWS.length + 1).split("/");
  try {
    return decodeURIComponent(part);
  } catch {
    throw new AppError("not_found", "There is no such workflow.");
  }
}

/** What a request to start a run says. */
function startIn(body: unknown): Pick<StartRun, "version" | "inputs" | "idempotencyKey"> {
  const { version, inputs = {}, idempotencyKey } = isJsonObject(body) ? body : {};
  const named = version === undefined || version === "draft" || isVersion(version);
  if (!named || !isJsonObject(inputs)) {
    throw new AppError(
      "invalid_input",
      "Give inputs as an object and version as `draft` or a number from 1.",
      {
        problems: [
          named
            ? { pointer: "/inputs", message: "Not an object.", expected: "an object" }
            : { pointer: "/version", message: "Not a version.", expected: "draft, or a number from 1" },
        ],
        nextAction: "Leave version out to run the newest published version.",
      },
    );
  }
  return {
    inputs,
    ...(version === "draft" || isVersion(version) ? { version } : {}),
    ...(typeof idempotencyKey === "string" && { idempotencyKey }),
  };
}

function isVersion(value: Json | undefined): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 1;
}

interface Chosen extends Pick<SeenWorkflow, "record" | "digest"> {
  readonly document: WorkflowDocument;
}

/** The document a request means: a published version, or what this caller sees when none is named. */
async function chosen(request: HttpRequest, version: string | null): Promise<Chosen> {
  const seen = await findWorkflow(idIn(request), request.context);
  if (version === null || version === "draft")
    return { record: seen.record, digest: seen.digest, document: seen.parsed.document };
  const stored = await versionOf(seen.record.id, version, request.context);
  const { digest, parsed } = seenDocument(seen.sight, stored);
  return { record: seen.record, digest, document: parsed.document };
}

async function versionOf(id: string, text: string, context: CallContext): Promise<WorkflowVersionRecord> {
  const number = Number(text);
  if (!Number.isSafeInteger(number) || number < 1)
    throw new AppError("invalid_input", "A version is a number from 1.");
  const version = await context.services.store.read.workflows.version(id, number);
  if (version === null) throw missing(`${id} in version ${number}`);
  return version;
}

function versionView(stored: WorkflowVersionRecord, sight: SeenWorkflow["sight"]): JsonObject {
  const { version, digest, publishedAt, publishedBy } = stored;
  return sight === "full"
    ? { version, digest, publishedAt, publishedBy }
    : { version, digest: seenDocument(sight, stored).digest, publishedAt };
}
