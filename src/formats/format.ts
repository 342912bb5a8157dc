import type { Static } from "typebox";
import type { JsonObject } from "../kernel/json.ts";
import type { ProposedTrigger } from "../model/triggers.ts";
import type { LossView, ProposedConnection } from "../model/workflows.ts";
import type { WorkflowDocument } from "../workflows/schema.ts";
import { withoutSurrounding, withoutTrailing } from "../kernel/text.ts";

/** The formats a workflow can be written in. Mermaid is for reading only. */
export const EXPORT_FORMATS = ["json", "yaml", "arazzo", "serverless", "mermaid"] as const;
/** A format to export to. */
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

/** Something that one format can say and the other cannot. */
export type Loss = Readonly<Static<typeof LossView>>;

/** A workflow to be exported. */
export interface Portable {
  readonly name: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly version: number | null;
  readonly document: WorkflowDocument;
}

/** An exported text, and everything that got lost on the way. */
export interface Exported {
  readonly format: ExportFormat;
  readonly mediaType: string;
  readonly fileName: string;
  readonly text: string;
  readonly losses: readonly Loss[];
}

/** A connection that an imported workflow calls, as `POST /api/svc/connections` takes it. */
export type ImportedConnection = Omit<ProposedConnection, "state" | "adds">;

/** What was read from a text: a document to be validated like any other, and everything that got lost on the way. */
export interface Imported {
  /** The format that it was read from. */
  readonly format: Exclude<ExportFormat, "mermaid"> | "n8n" | "postman" | "har" | "curl";
  readonly name: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly document: JsonObject;
  readonly losses: readonly Loss[];
  /** Connections that the steps call and that are not part of a workflow. */
  readonly connections?: readonly ImportedConnection[];
  /** What starts the workflow by itself. */
  readonly triggers?: readonly ProposedTrigger[];
}

/** The key under which exports to other formats carry our own document, so that we can read them back exactly. */
export const CARRIER = "x-suite-workflow";

/** A name as identifiers of other formats allow it. */
export function slug(name: string, most = 60): string {
  const words = name
    .normalize("NFKD")
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-");
  const plain = withoutTrailing(withoutSurrounding(words, "-").slice(0, most), "-");
  return plain === "" ? "workflow" : plain;
}
