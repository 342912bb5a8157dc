import { LRUCache } from "lru-cache";
import { AppError } from "../kernel/errors.ts";
import { noRecord } from "../kernel/no-record.ts";
import type { JsonObject } from "../kernel/json.ts";
import { lackingScope, type Caller } from "../ports/caller.ts";
import type { RunResolution, Visibility } from "../ports/records.ts";
import type { Services } from "../ports/services.ts";
import type { WorkflowHead } from "../ports/store.ts";
import { subworkflowKey } from "../workflows/catalog-view.ts";
import { parseDocument } from "../workflows/document.ts";
import type { ChildAction, StepError } from "../workflows/interpreter/actions.ts";
import { validateDocument } from "../workflows/validate.ts";
import { loadView, needsOf, type Needs } from "../workflows/views.ts";
import { workflowAccess } from "../workflows/visibility.ts";

/** What a run is a run of. */
export interface Source {
  readonly workflowId: string;
  readonly version: number | null;
  readonly digest: string;
  readonly document: JsonObject;
  readonly visibility: Visibility;
}

const CACHE_SIZE = 500;
/** Versions of other workflows that one run may come to run. */
const MAX_SUBWORKFLOWS = 500;

/** Finds what to run, and refuses what could not. */
export class Sources {
  readonly #services: Services;
  readonly #versions = new LRUCache<string, Source>({ max: CACHE_SIZE });
  /** Documents of workflows that have no version yet, by digest. */
  readonly #drafts = new LRUCache<string, JsonObject>({ max: CACHE_SIZE });
  /** What documents refer to, by digest. */
  readonly #needs = new LRUCache<string, Needs>({ max: CACHE_SIZE });
  /** Digests that were found valid and refer to nothing outside that can change: connected tools or other workflows. */
  readonly #valid = new LRUCache<string, true>({ max: CACHE_SIZE });

  constructor(services: Services) {
    this.#services = services;
  }

  /** What a person starts: what they name, or else the newest published version, or the draft when there is none. */
  async forStart(workflowId: string, caller: Caller, wanted?: number | "draft"): Promise<Source> {
    const workflow = await this.#services.store.read.workflows.head(workflowId);
    const accessLevel = workflow === null ? null : workflowAccess(caller, workflow);
    if (workflow === null || accessLevel === null) throw noRecord("workflow", workflowId);
    if (workflow.status === "archived") {
      throw new AppError("conflict", "The workflow is archived and starts no new runs.", {
        nextAction: "Set its status back, or run another workflow.",
      });
    }
    const version = wanted ?? workflow.publishedVersion ?? "draft";
    if (version === "draft" && accessLevel !== "full")
      throw lackingScope(caller, "read-private", "running the draft of another caller");
    const source = version === "draft" ? await this.#draft(workflow) : await this.#version(workflow, version);
    if (source === null) throw new AppError("not_found", `The workflow has no version ${version}.`);
    await this.#check(source, caller);
    return source;
  }

  /** What a subworkflow step starts: the version that was there when its run started. */
  async pinned(
    { workflowId, version }: Pick<ChildAction, "workflowId" | "version">,
    pins: RunResolution,
  ): Promise<Source | { readonly error: StepError }> {
    const pin = pins.workflows[subworkflowKey(workflowId, version ?? undefined)] ?? null;
    const workflow = await this.#services.store.read.workflows.head(workflowId);
    const source = workflow === null || pin === null ? null : await this.#version(workflow, pin.version);
    if (source === null || source.digest !== pin?.digest) {
      const message =
        "The workflow that the step names was not there, in this version, when the run started.";
      return { error: { code: "not_found", message } };
    }
    return source;
  }

  /**
   * Everything that a document refers to, through all its subworkflows: as it is now, or as it was when the run started
   * whose pins are given.
   */
  async resolve(source: Pick<Source, "digest" | "document">, pins?: RunResolution): Promise<RunResolution> {
    const workflows: Record<string, { readonly version: number; readonly digest: string } | null> = {};
    const definitions: Record<string, string | null> = {};
    const open = [source];
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      const { tools, subworkflows } = this.#needsOf(next);
      for (const id of tools) {
        definitions[id] ??= pins?.definitions[id] ?? (pins ? null : await this.#pinOf(id));
      }
      for (const { workflowId, version } of subworkflows) {
        const key = subworkflowKey(workflowId, version);
        if (Object.hasOwn(workflows, key)) continue;
        if (Object.keys(workflows).length >= MAX_SUBWORKFLOWS) throw tooManyWorkflows();
        const child = await this.#childOf(workflowId, pins ? pins.workflows[key]?.version : version, pins);
        workflows[key] = child === null ? null : { version: child.version, digest: child.digest };
        if (child !== null) open.push(child);
      }
    }
    return { workflows, definitions };
  }

  async #pinOf(id: string): Promise<string | null> {
    return (await this.#services.connections.find(id))?.pin ?? null;
  }

  async #childOf(
    workflowId: string,
    version: number | undefined,
    pins: RunResolution | undefined,
  ): Promise<(Source & { readonly version: number }) | null> {
    const workflow = await this.#services.store.read.workflows.head(workflowId);
    const wanted = version ?? (pins ? null : workflow?.publishedVersion) ?? null;
    const found = workflow === null || wanted === null ? null : await this.#version(workflow, wanted);
    return found === null || wanted === null ? null : { ...found, version: wanted };
  }

  #needsOf({ digest, document }: Pick<Source, "digest" | "document">): Needs {
    const known = this.#needs.get(digest);
    if (known !== undefined) return known;
    const needs = needsOf(parseDocument(document).document);
    this.#needs.set(digest, needs);
    return needs;
  }

  async #draft({ id, digest }: WorkflowHead): Promise<Source> {
    // The versions of a public workflow are public, its draft is not.
    const visibility = "private";
    const known = this.#drafts.get(digest);
    if (known !== undefined) return { workflowId: id, version: null, digest, document: known, visibility };
    const found = await this.#services.store.read.workflows.get(id);
    if (found === null) throw noRecord("workflow", id);
    this.#drafts.set(found.digest, found.document);
    return {
      workflowId: id,
      version: null,
      digest: found.digest,
      document: found.document,
      visibility,
    };
  }

  async #version(workflow: WorkflowHead, version: number): Promise<Source | null> {
    const key = `${workflow.id}@${version}`;
    const known = this.#versions.get(key);
    if (known !== undefined) return { ...known, visibility: workflow.visibility };
    const found = await this.#services.store.read.workflows.version(workflow.id, version);
    if (found === null) return null;
    const source: Source = {
      workflowId: workflow.id,
      version,
      digest: found.digest,
      document: found.document,
      visibility: workflow.visibility,
    };
    this.#versions.set(key, source);
    return source;
  }

  /** Refuses what the plan calls not executable for this caller, with its reasons. */
  async #check(source: Source, caller: Caller): Promise<void> {
    if (this.#valid.has(source.digest)) return;
    const parsed = parseDocument(source.document);
    const view = await loadView(parsed.document, { services: this.#services, caller });
    const verdict = validateDocument(parsed, view, source.workflowId);
    if (!verdict.valid) {
      throw new AppError("invalid_input", "The workflow has errors, so it is not run.", {
        problems: verdict.problems
          .filter(({ severity }) => severity === "error")
          .map(({ code, pointer, message, fix }) => ({ code, pointer, message, fix })),
        nextAction: "Call validate_workflow, fix the workflow, and run it again.",
      });
    }
    const { tools, subworkflows } = this.#needsOf(source);
    if (tools.length + subworkflows.length > 0) return;
    this.#valid.set(source.digest, true);
  }
}

function tooManyWorkflows(): AppError {
  return new AppError(
    "invalid_input",
    `The workflow runs more than ${MAX_SUBWORKFLOWS} other workflows, directly or through others.`,
    { nextAction: "Run fewer workflows from one." },
  );
}
