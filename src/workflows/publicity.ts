import { recordEntry } from "../audit/record.ts";
import { AppError } from "../kernel/errors.ts";
import type { Visibility, WorkflowRecord } from "../ports/records.ts";
import type { StoreTx } from "../ports/store.ts";
import { asPublished } from "./public-view.ts";
import { secretPlaces } from "./validation/texts.ts";

/** Throws when something that looks like a credential stands in what would be public; strangers could not see all of it. */
export async function checkMayBePublic(
  { workflows }: Pick<StoreTx, "workflows">,
  record: WorkflowRecord,
): Promise<void> {
  if (record.visibility !== "public") return;
  const secrets = await secretsIn(workflows, record);
  if (secrets.length === 0) return;
  const message = "What looks like a credential keeps the workflow from being public.";
  throw new AppError("invalid_input", message, {
    problems: secrets.map((pointer) => ({
      code: "secret_literal",
      pointer,
      message: "This text looks like a credential.",
      fix: "Remove it, revoke it, and use a credential of the vault or an input instead.",
    })),
    nextAction: "Remove what looks like a credential, publish the workflow, and make it public then.",
  });
}

/** Where texts that look like credentials stand in what is public once the workflow is. */
export async function secretsIn(
  workflows: Pick<StoreTx["workflows"], "version">,
  record: WorkflowRecord,
): Promise<readonly string[]> {
  const { id, name, description, tags, publishedVersion } = asPublished(record);
  const version = publishedVersion === null ? null : await workflows.version(id, publishedVersion);
  const { document } = version ?? record;
  return [
    ...secretPlaces({ name, description, tags }, "", true),
    ...secretPlaces(document, "/document", true),
  ];
}

/** Who made a workflow visible to strangers, or hid it from them. */
export async function auditVisibility(
  tx: StoreTx,
  before: WorkflowRecord,
  after: WorkflowRecord,
): Promise<void> {
  if (before.visibility === after.visibility) return;
  await recordEntry(tx, {
    action: after.visibility === "public" ? "workflow.made_public" : "workflow.made_private",
    by: after.updatedBy,
    subject: `workflows/${after.id}`,
    detail: { title: after.name },
    provenanceId: null,
  });
}

/** The visibility that a caller asked for. */
export function visibilityOf(wanted: string | undefined): Visibility | undefined {
  if (wanted === undefined || wanted === "private" || wanted === "public") return wanted;
  throw new AppError("invalid_input", "The visibility must be private or public.", {
    problems: [
      {
        pointer: "/visibility",
        message: "Not a visibility.",
        expected: "private or public",
        given: wanted.slice(0, 60),
      },
    ],
  });
}
