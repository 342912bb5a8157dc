import type { JsonObject } from "../kernel/json.ts";

/** One kind of event: what it tells, and the shapes of what keyed and anonymous callers see of it. */
export interface EventType {
  readonly type: string;
  readonly summary: string;
  /** JSON Schema of `data` for callers with a key. */
  readonly data: JsonObject;
  /** JSON Schema of `data` for everybody; null when the event is for callers with a key only. */
  readonly publicData: JsonObject | null;
}

const text: JsonObject = { type: "string" };
const optionalText: JsonObject = { type: ["string", "null"] };
const count: JsonObject = { type: "integer", minimum: 0 };

/** An object of which the named members are there; more may be. */
function object(required: Readonly<Record<string, JsonObject>>, optional: JsonObject = {}): JsonObject {
  return {
    type: "object",
    required: Object.keys(required),
    properties: { ...required, ...optional },
  };
}

const status = (value: string): JsonObject => ({ type: "string", const: value });

const RUNS: readonly (readonly [state: string, summary: string])[] = [
  ["queued", "A run was accepted and waits for a worker."],
  ["running", "A worker has begun or resumed a run."],
  ["waiting", "A run waits for a person, a time or a handoff."],
  ["cancelling", "A run was asked to stop and is winding down."],
  ["succeeded", "A run ended and its outputs are stored."],
  ["failed", "A run ended with an error."],
  ["timed_out", "A run took longer than its policy allows."],
  ["cancelled", "A run was stopped before its end."],
];

const STEPS: readonly (readonly [state: string, summary: string])[] = [
  ["running", "A step's attempt has begun."],
  ["backoff", "A step's attempt failed and will be tried again."],
  ["waiting", "A step waits for a person, a time or a handoff."],
  ["succeeded", "A step's result is checkpointed."],
  ["failed", "A step failed for good."],
  ["skipped", "A step's condition or path ruled it out."],
  ["cancelled", "A step was stopped with its run."],
  [
    "outcome_unknown",
    "A step was cut off after its effect may have happened; a person must say what became of it.",
  ],
];

const APPROVALS: readonly (readonly [name: string, state: string, summary: string])[] = [
  ["requested", "pending", "A person's decision is asked for."],
  ["reminder", "pending", "A decision is still missing; those who may decide are reminded."],
  ["overdue", "pending", "A decision was due and is missing."],
  ["escalated", "pending", "A decision is late; it was put before further people."],
  ["voted", "pending", "A person approved; more approvals are needed."],
  ["claimed", "pending", "A person works on the decision; others wait until it is released."],
  ["released", "pending", "A claim was given up."],
  ["delegated", "pending", "A person lets another one decide in their place."],
  ["reassigned", "pending", "An admin changed who may decide."],
  ["commented", "pending", "A person wrote a comment."],
  ["approved", "approved", "A person approved."],
  ["rejected", "rejected", "A person rejected."],
  ["changes_requested", "changes_requested", "A person asked for changes; the run takes the port `changes`."],
  ["expired", "expired", "Nobody decided in time. Expiry never approves."],
  ["cancelled", "cancelled", "The decision is no longer needed: the run was cancelled."],
  ["superseded", "superseded", "What was shown has changed; a new approval replaces this one."],
];

const ARTIFACTS: readonly (readonly [name: string, summary: string])[] = [
  ["saved", "An artifact was stored."],
  ["updated", "A new version of an artifact was stored."],
  ["deleted", "An artifact was deleted; its versions' digests remain."],
  ["published", "A service of the suite confirmed the publication of an artifact."],
];

const CONNECTIONS: readonly (readonly [name: string, summary: string])[] = [
  ["created", "A connection was added and its definitions were accepted."],
  ["updated", "A connection or one of its definitions was changed, accepted or hidden."],
  ["deleted", "A connection was removed with its definitions."],
  ["tested", "A connection was tested; action is its state."],
];

const WORKFLOWS: readonly (readonly [name: string, summary: string])[] = [
  ["created", "A workflow was created."],
  ["updated", "A workflow was changed."],
  ["published", "An immutable version of a workflow was published."],
  ["archived", "A workflow was archived; it starts no new runs."],
  ["deleted", "A draft that was never published and never ran was deleted."],
];

const HANDOFFS: readonly (readonly [name: string, state: string, summary: string])[] = [
  ["prepared", "preview_ready", "A packet was prepared as a preview; nothing was sent."],
  ["queued", "ready", "A packet is ready to be sent."],
  ["sending", "sending", "A packet is on its way."],
  ["accepted", "accepted", "A packet was accepted. That is not a result."],
  ["completed", "completed", "A result reference was confirmed."],
  ["degraded", "degraded", "A packet was not confirmed; nothing is claimed."],
  ["rejected", "rejected", "A packet was refused."],
];

const CREDENTIALS: readonly (readonly [name: string, summary: string])[] = [
  ["created", "A credential was stored."],
  ["updated", "The hosts of a credential were changed."],
  ["replaced", "The secret of a credential was replaced."],
  ["rewrapped", "The data key of a credential was wrapped with another master key."],
  ["authorized", "A person gave consent: the credential holds tokens."],
  ["consent_required", "A credential needs a person's consent before it can be used again."],
  ["removed", "A credential was removed with its secret."],
];

const PEOPLE: readonly (readonly [name: string, summary: string])[] = [
  ["invited", "A person was invited."],
  ["joined", "A person followed the invitation and can sign in."],
  ["updated", "The name or the role of a person was changed."],
  ["disabled", "A person was disabled: no session and no link of theirs counts any more."],
  ["enabled", "A disabled person was enabled."],
  ["link_made", "A one-time link was made for a person."],
  ["password_set", "The password of a person was changed."],
  ["recovery_codes_made", "A person got new recovery codes; those before stopped working."],
];

const GROUPS: readonly (readonly [name: string, summary: string])[] = [
  ["created", "A group of people was made."],
  ["renamed", "A group got another name."],
  ["deleted", "A group was deleted; the people in it stay."],
  ["member_added", "A person was added to a group."],
  ["member_removed", "A person was taken out of a group."],
];

const TOKENS: readonly (readonly [name: string, summary: string])[] = [
  ["created", "A person made a personal token or a service key."],
  ["revoked", "A personal token or a service key was revoked."],
];

const KEYS: readonly (readonly [name: string, summary: string])[] = [
  ["created", "An API key was made."],
  ["rotated", "An API key got a successor with the same rights."],
  ["revoked", "An API key was revoked."],
];

const TARGETS: readonly (readonly [name: string, summary: string])[] = [
  ["created", "A webhook that tells a person or a group of approvals was added."],
  ["deleted", "A webhook that tells a person or a group of approvals was removed."],
];

const CLIENTS = [
  ["connected", "A person connected an MCP client."],
  ["disconnected", "An MCP client was disconnected: its tokens stopped working."],
] as const;

const ABSENCES: readonly (readonly [name: string, summary: string])[] = [
  [
    "absence_set",
    "A person is out of office at a time; another one decides approvals in the person's place.",
  ],
  ["absence_ended", "A person is back; nobody decides in the person's place any more."],
];

const PASSKEYS: readonly (readonly [name: string, summary: string])[] = [
  ["added", "A person added a passkey."],
  ["removed", "A person removed a passkey."],
];

const SESSIONS: readonly (readonly [name: string, summary: string])[] = [
  ["created", "A person signed in."],
  ["revoked", "A session was ended before its time."],
];

const runData = (state: string): JsonObject =>
  object(
    { id: text, status: status(state) },
    {
      workflowId: optionalText,
      kind: { enum: ["run", "dry_run"] },
      startedBy: text,
      error: { type: ["object", "null"] },
    },
  );

const stepData = (state: string): JsonObject =>
  object(
    { runId: text, stepId: text, status: status(state) },
    { attempt: count, port: optionalText, wakeAt: optionalText, error: { type: ["object", "null"] } },
  );

const handoffData = (state: string): JsonObject =>
  object(
    { id: text, direction: { enum: ["in", "out"] }, status: status(state) },
    {
      peer: text,
      capability: text,
      packetDigest: text,
      resultRef: optionalText,
      runId: optionalText,
      attempts: count,
    },
  );

/** Every event this service writes. The stream, the webhooks and asyncapi.yaml know no others. */
export const EVENT_TYPES: readonly EventType[] = [
  ...RUNS.map(([state, summary]) => ({
    type: `svc.run.${state}`,
    summary,
    data: runData(state),
    publicData: object({ id: text, status: status(state) }),
  })),
  ...STEPS.map(([state, summary]) => ({
    type: `svc.step.${state}`,
    summary,
    data: stepData(state),
    publicData: object({ runId: text, stepId: text, status: status(state) }),
  })),
  ...APPROVALS.map(([name, state, summary]) => ({
    type: `svc.approval.${name}`,
    summary,
    data: object(
      { id: text, runId: text, stepId: text, status: status(state) },
      {
        title: text,
        dueAt: optionalText,
        expiresAt: optionalText,
        decidedBy: optionalText,
        via: { type: ["object", "null"], description: "The credential: its kind, id and name." },
        by: optionalText,
        to: optionalText,
        reason: optionalText,
      },
    ),
    publicData: object({ id: text, status: status(state) }),
  })),
  ...ARTIFACTS.map(([name, summary]) => ({
    type: `svc.artifact.${name}`,
    summary,
    data: object(
      { id: text, version: count, privacy: text },
      { title: text, type: text, digest: text, by: text },
    ),
    publicData: object({ id: text, version: count, privacy: text }, { title: text, type: text }),
  })),
  ...WORKFLOWS.map(([name, summary]) => ({
    type: `svc.workflow.${name}`,
    summary,
    data: object(
      { id: text },
      { name: text, revision: count, version: count, digest: text, status: text, by: text },
    ),
    publicData: object({ id: text }, { version: count, status: text }),
  })),
  ...HANDOFFS.map(([name, state, summary]) => ({
    type: `svc.handoff.${name}`,
    summary,
    data: handoffData(state),
    publicData: object({ id: text, direction: { enum: ["in", "out"] }, status: status(state) }),
  })),
  {
    type: "svc.tools.synced",
    summary: "The tools of another server were read and compared with their pinned definitions.",
    data: object(
      { server: text },
      { added: count, changed: count, removed: count, quarantined: count, unchanged: count },
    ),
    publicData: object(
      { server: text },
      { added: count, changed: count, removed: count, quarantined: count },
    ),
  },
  ...CREDENTIALS.map(([name, summary]) => ({
    type: `svc.credential.${name}`,
    summary,
    data: object(
      { name: text, kind: text, state: text, revision: count },
      { owner: text, hosts: { type: "array", items: text }, by: text },
    ),
    publicData: null,
  })),
  ...CONNECTIONS.map(([name, summary]) => ({
    type: `svc.connection.${name}`,
    summary,
    data: object({ name: text, kind: text }, { by: text, definition: text, action: text, digest: text }),
    publicData: null,
  })),
  ...PEOPLE.map(([name, summary]) => ({
    type: `svc.person.${name}`,
    summary,
    data: object(
      { id: text, role: text, state: text, revision: count, by: text },
      { ended: { type: "object", additionalProperties: count } },
    ),
    publicData: null,
  })),
  ...GROUPS.map(([name, summary]) => ({
    type: `svc.group.${name}`,
    summary,
    data: object({ id: text, name: text, revision: count, by: text }, { personId: text, before: text }),
    publicData: null,
  })),
  ...TOKENS.map(([name, summary]) => ({
    type: `svc.token.${name}`,
    summary,
    data: object({
      id: text,
      kind: text,
      personId: text,
      name: text,
      scopes: { type: "array", items: text },
      expiresAt: text,
      by: text,
    }),
    publicData: null,
  })),
  ...KEYS.map(([name, summary]) => ({
    type: `svc.key.${name}`,
    summary,
    data: object(
      { id: text, name: text, scopes: { type: "array", items: text }, expiresAt: optionalText, by: text },
      { replaces: text },
    ),
    publicData: null,
  })),
  ...TARGETS.map(([name, summary]) => ({
    type: `svc.notification.target_${name}`,
    summary,
    data: object({ id: text, owner: text, origin: text, by: text }),
    publicData: null,
  })),
  ...PASSKEYS.map(([name, summary]) => ({
    type: `svc.passkey.${name}`,
    summary,
    data: object({ id: text, personId: text, name: text, by: text }),
    publicData: null,
  })),
  ...SESSIONS.map(([name, summary]) => ({
    type: `svc.session.${name}`,
    summary,
    data: object({ id: text, personId: text, why: text, by: text }),
    publicData: null,
  })),
  ...CLIENTS.map(([name, summary]) => ({
    type: `svc.client.${name}`,
    summary,
    data: object({
      id: text,
      personId: text,
      clientId: text,
      name: text,
      scopes: { type: "array", items: text },
      by: text,
    }),
    publicData: null,
  })),
  ...ABSENCES.map(([name, summary]) => ({
    type: `svc.person.${name}`,
    summary,
    data: object({ id: text, by: text, to: text, fromAt: text, untilAt: text }),
    publicData: null,
  })),
  {
    type: "svc.run.signalled",
    summary: "A signal was sent to a run; a step that waits for it gets it.",
    data: object({ id: text, name: text, signalId: text, by: text }),
    publicData: null,
  },
  {
    type: "svc.connection.called",
    summary: "A connected tool that can change something was called.",
    data: object(
      { id: text, connection: text, definition: text, effect: text, ok: { type: "boolean" } },
      { outcome: text, by: text, elapsedMs: count },
    ),
    publicData: null,
  },
  {
    type: "svc.form.rendered",
    summary: "A form was rendered for the first time and is kept under the digest of its input.",
    data: object({ id: text, kind: text }, { title: text, ref: text, by: text }),
    publicData: object({ id: text, kind: text }),
  },
  {
    type: "svc.policy.updated",
    summary: "A revision of the agent policy came into force.",
    data: object(
      { revision: count, digest: text, changed: { type: "array", items: text } },
      { changedBy: text },
    ),
    publicData: object({ revision: count, digest: text, changed: { type: "array", items: text } }),
  },
];

const BY_NAME: ReadonlyMap<string, EventType> = new Map(EVENT_TYPES.map((one) => [one.type, one]));

/** The event type of this name, if there is one. */
export function eventType(name: string): EventType | undefined {
  return BY_NAME.get(name);
}
