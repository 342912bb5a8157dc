import type { Approval, JsonObject } from "@workflow-ui/client";
import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { ArrowLeft, KeyRound, Stamp } from "lucide-react";
import { useMemo, useState } from "react";
import { session } from "../../api/session.ts";
import { useFormOf } from "../../form-maker/use-form-of.ts";
import { useExternal } from "../../lib/external.ts";
import { ago, count, fullTime } from "../../lib/format.ts";
import { useMedia } from "../../lib/media.ts";
import { Load } from "../../shell/states.tsx";
import { StateBadge } from "@workflow-ui/forms-react/ui/badge.tsx";
import { SignInLink } from "../../shell/sign-in-link.tsx";
import { buttonClass } from "@workflow-ui/forms-react/ui/button.tsx";
import { JsonBlock } from "../../ui/code-block.tsx";
import { DataView, isRedacted, plainText, present } from "../../ui/data-view.tsx";
import { BusyNote } from "../../ui/busy-note.tsx";
import { For } from "../../ui/button-for.tsx";
import { Empty, Page, Panel } from "../../ui/page.tsx";
import { Segmented } from "@workflow-ui/forms-react/ui/segmented.tsx";
import { Consequences } from "../../runs/consequences-view.tsx";
import { DeciderName, ForDeciders, ForPasskeys } from "../../runs/decider.tsx";
import { ResultView } from "../../runs/result-view.tsx";
import { ShownChanges } from "../../runs/shown-changes.tsx";
import { ApprovalPeople, RequestChanges } from "./approval-actions.tsx";
import { Decide, DecideWithForm } from "./approval-decide.tsx";
import { call, useOperation } from "../../api/operations.ts";

const INBOXES = [
  { value: "mine", label: "Mine" },
  { value: "groups", label: "My groups" },
  { value: "all", label: "Everybody" },
] as const;

/** The approvals of an inbox, with the one that the address names, which may be of another inbox. */
function useInbox(inbox: (typeof INBOXES)[number]["value"], id: string | undefined) {
  const { generation } = useExternal(session);
  return useQuery({
    queryKey: ["document", "approvals", inbox, id, generation],
    queryFn: async ({ signal }): Promise<readonly Approval[]> => {
      const { approvals } = await call("find_approvals", { limit: 100, inbox }, { signal });
      if (id === undefined || approvals.some((item) => item.id === id)) return approvals;
      const one = await call("get_approval", { id }, { signal }).catch(() => null);
      return one === null ? approvals : [one.approval, ...approvals];
    },
    refetchInterval: 30_000,
  });
}

/** The decisions that runs wait for: what is asked, what would follow, and comments. */
export function ApprovalsPage() {
  const search = useSearch({ strict: false });
  const navigate = useNavigate();
  const { person, keyed } = useExternal(session);
  const isGuest = person === null && !keyed;
  const inbox = INBOXES.find(({ value }) => value === search.inbox)?.value ?? "all";
  const approvals = useInbox(inbox, search.id);
  const [show, setShow] = useState<"pending" | "all">("pending");
  const wide = useMedia("(min-width: 64rem)");
  return (
    <Page
      title="Approvals"
      lead="Runs that wait for a person. A decision is bound to exactly what is shown."
      actions={
        <>
          {person === null ? null : (
            <Segmented
              label="Whose approvals"
              value={inbox}
              onChange={(value) => void navigate({ to: "/approvals", search: { inbox: value } })}
              options={INBOXES}
            />
          )}
          <Segmented
            label="Which approvals"
            value={show}
            onChange={setShow}
            options={[
              { value: "pending", label: "Waiting" },
              { value: "all", label: "All" },
            ]}
          />
        </>
      }
    >
      <Load query={approvals}>
        {(all) => {
          const list = all.filter(
            (item) => show === "all" || item.status === "pending" || item.id === search.id,
          );
          const named = all.find((item) => item.id === search.id);
          const chosen = search.id === undefined ? list[0] : named;
          const isHidden = search.id !== undefined && named === undefined;
          if (isHidden || (isGuest && list.length === 0)) {
            const what = isHidden ? "this approval" : "your approvals";
            return (
              <Panel>
                <Empty
                  icon={<Stamp />}
                  title={isGuest ? `Sign in to see ${what}` : "This approval is not shown to you"}
                  action={isGuest ? <SignInLink /> : undefined}
                >
                  An approval is shown to people and keys that may see its run.
                </Empty>
              </Panel>
            );
          }
          if (list.length === 0) {
            return (
              <Panel>
                <Empty
                  icon={<Stamp />}
                  title="Nothing waits for a decision"
                  action={
                    <For op="create_workflow">
                      <Link to="/templates" className={buttonClass()}>
                        Use a template with an approval
                      </Link>
                    </For>
                  }
                >
                  When a run reaches an approval, its question appears here with everything that it concerns.
                </Empty>
              </Panel>
            );
          }
          const title = count(list.length, "approval");
          // A phone shows the list or one of its approvals; a single one is opened at once.
          const isListed = wide || (search.id === undefined && list.length > 1);
          const isOpen = wide || !isListed;
          return (
            <div className="grid items-start gap-4 lg:grid-cols-[20rem_minmax(0,1fr)]">
              {isListed ? (
                <Panel title={title} flush>
                  <ul className="divide-y divide-line">
                    {list.map((item) => (
                      <li key={item.id}>
                        <Link
                          to="/approvals"
                          search={{ ...search, id: item.id }}
                          aria-current={isOpen && item === chosen ? "true" : undefined}
                          className="block px-4 py-2.5 hover:bg-hover focus-visible:-outline-offset-2 aria-[current]:bg-accent-soft"
                        >
                          <span className="flex items-center gap-2">
                            <span className="min-w-0 flex-1 truncate font-medium">
                              {plainText(item.title, "Approval")}
                            </span>
                            <StateBadge state={item.status} />
                          </span>
                          <span className="block text-sm text-ink-2">
                            asked {ago(item.createdAt)}
                            {item.stepUp && item.status === "pending" ? " · needs your passkey" : ""}
                          </span>
                        </Link>
                      </li>
                    ))}
                  </ul>
                </Panel>
              ) : list.length > 1 ? (
                <Link
                  to="/approvals"
                  search={{ ...search, id: undefined }}
                  className="inline-flex min-h-9 items-center gap-1 text-sm text-ink-2 hover:text-ink"
                >
                  <ArrowLeft aria-hidden className="size-4" /> All {title}
                </Link>
              ) : null}
              {chosen === undefined || !isOpen ? null : (
                <Decision key={chosen.id} approval={chosen} all={all} />
              )}
            </div>
          );
        }}
      </Load>
    </Page>
  );
}

function Decision({ approval, all }: { readonly approval: Approval; readonly all: readonly Approval[] }) {
  const schema = approval.form;
  const given = useMemo(
    () => (schema ? { schema, formId: approval.id, title: "Your answer" } : null),
    [schema, approval],
  );
  const { form, problem, busy } = useFormOf(given);
  const [isDetailed, setDetailed] = useState(false);
  const state = approval.status;
  const shown = approval.shown;
  const { keyed } = useExternal(session);
  const hidden = isRedacted(shown);
  const content = contentOf(shown, plainText(approval.title));
  return (
    <Panel title={plainText(approval.title, "Approval")} actions={<StateBadge state={state} />}>
      <p className="mb-4 text-sm text-ink-2">
        <Sentence approval={approval} />
      </p>
      {hidden || content !== null ? (
        <>
          <h3 className="mb-1 text-sm font-semibold text-ink-2">
            {state === "pending" ? "What you decide on" : "What was decided on"}
          </h3>
          <div className="mb-5 rounded-lg border border-line bg-sunken px-3 py-1">
            {hidden ? (
              <p className="flex items-center gap-2 py-2 text-ink-2">
                <KeyRound aria-hidden className="size-4 shrink-0" /> Private. Sign in to see what is asked,
                and to decide.
              </p>
            ) : (
              <ResultView value={content} name="what you decide on" />
            )}
          </div>
        </>
      ) : null}
      {/* Where only the question is shown, "the same as last time" would say nothing about what is sent. */}
      {hidden || content === null ? null : <ShownChanges approval={approval} all={all} />}
      {state === "pending" ? <Consequences approval={approval} /> : null}
      {state !== "pending" ? null : hidden && !keyed ? (
        <SignInLink />
      ) : (
        <ForDeciders approvalId={approval.id}>
          <ForPasskeys approval={approval}>
            {busy ? (
              <BusyNote>Making the form…</BusyNote>
            ) : form === null ? (
              <>
                {problem === "" ? null : (
                  <p role="alert" className="mb-3 text-bad">
                    Its form cannot be shown. {problem}
                  </p>
                )}
                <Decide approval={approval} all={all} store={null} />
              </>
            ) : (
              <DecideWithForm approval={approval} all={all} form={form} />
            )}
          </ForPasskeys>
        </ForDeciders>
      )}
      {state === "pending" && !hidden ? (
        <div className="mt-4">
          <RequestChanges approval={approval} />
        </div>
      ) : null}
      {hidden ? null : <ApprovalPeople approval={approval} />}
      <details className="mt-5 text-sm" onToggle={(event) => setDetailed(event.currentTarget.open)}>
        <summary className="text-ink-2">Details</summary>
        <DataView
          value={present({
            asked: approval.createdAt,
            expires: approval.expiresAt,
            mayDecide: approval.approvers?.join(", "),
            run: approval.runId,
            step: approval.stepId,
            shownDigest: approval.shownDigest,
          })}
        />
        {hidden || !isDetailed ? null : <JsonBlock value={shown} label="What the decision is bound to" />}
      </details>
    </Panel>
  );
}

/** What is shown below the question, which is the heading already; null when there is nothing more. */
function contentOf(shown: JsonObject, title: string): unknown {
  // The calls are described in words below, and shown exactly with the details.
  const { title: other, calls: _calls, resolved: _resolved, ...rest } = shown;
  if (typeof other === "string" && other !== "" && other !== title) return { title: other, ...rest };
  const keys = Object.keys(rest);
  if (keys.length === 1 && keys[0] === "content") return rest["content"] ?? null;
  return keys.length === 0 ? null : rest;
}

/** How an approval ended that nobody decided. */
const ENDS: Readonly<Record<string, string>> = {
  expired: " No decision came in time, so it counts as not approved.",
  cancelled: " The run ended before it was decided.",
  superseded: " Another question of the run took its place.",
};

/** Who asked, when, until when, and what was decided, as one sentence. */
function Sentence({ approval }: { readonly approval: Approval }) {
  const { expiresAt: expires } = approval;
  const decided = plainText(approval.decidedBy);
  const reason = plainText(approval.reason);
  const name = useOperation("get_run_document", { id: approval.runId }).data?.name ?? "";
  return (
    <>
      Asked {ago(approval.createdAt)} by{" "}
      <Link
        to="/runs/$id"
        params={{ id: approval.runId }}
        className="text-accent-ink underline underline-offset-2"
      >
        {name === "" ? "this run" : `a run of ${name}`}
      </Link>
      .
      {approval.status === "pending" ? (
        expires === null ? (
          " It waits without a time limit."
        ) : (
          <span title={fullTime(expires)}> It expires {ago(expires)}; then it counts as not approved.</span>
        )
      ) : (
        (ENDS[approval.status] ?? null)
      )}
      {decided === "" ? null : (
        <>
          {" "}
          Decided by <DeciderName approvalId={approval.id} id={decided} /> {ago(approval.decidedAt)}.
        </>
      )}
      {reason === "" ? "" : ` Reason: ${reason}`}
    </>
  );
}
