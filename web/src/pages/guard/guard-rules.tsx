import type { Guard, GuardSimulation } from "@workflow-ui/client";
import { useMutation } from "@tanstack/react-query";
import { ArrowDown, ArrowUp, Pencil, Plus, ShieldCheck, Trash2 } from "lucide-react";
import { useState } from "react";
import { call, refreshOperation } from "../../api/operations.ts";
import { count } from "../../lib/format.ts";
import { useAction } from "../../lib/use-action.ts";
import { Badge } from "@workflow-ui/forms-react/ui/badge.tsx";
import { Banner } from "../../ui/banner.tsx";
import { Button, IconButton } from "@workflow-ui/forms-react/ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { ErrorText } from "../../ui/error-text.tsx";
import { Empty, Panel } from "../../ui/page.tsx";
import { CheckField, InputField, SelectField } from "../../ui/fields.tsx";
import { RuleCondition, RuleWords } from "./rule-condition.tsx";

type Rule = Guard["rules"][number];

const DECISIONS = [
  { value: "ask", label: "Ask a person" },
  { value: "deny", label: "Refuse" },
  { value: "dry-run", label: "Dry run only" },
  { value: "allow", label: "Allow" },
] as const;
const NEW: Rule = { id: "", when: 'effect == "write" && agent == true', decision: "ask" };

/** Stores changed lists of the guard; what another admin changed since is not overwritten. */
export function useGuardChange(guard: Guard) {
  return useAction({
    title: "Change the guard",
    failed: "The guard was not changed",
    run: (changes: Partial<Pick<Guard, "rules" | "limits" | "agents" | "trusted" | "stopped">>) =>
      call("change_guard", { ...changes, revision: guard.revision }),
    done: () => {
      void refreshOperation("get_guard");
      return "The guard is changed.";
    },
  });
}

/** The rules in their order. */
export function GuardRules({ guard }: { readonly guard: Guard }) {
  const { rules } = guard;
  const change = useGuardChange(guard);
  /** Where the edited rule stands; the number of rules for a new one. */
  const [edited, setEdited] = useState<number | null>(null);
  const replace = (at: number, ...by: readonly Rule[]) =>
    change.mutate({ rules: rules.toSpliced(at, 1, ...by) });
  const move = (at: number, by: number) => {
    const rule = rules[at];
    if (rule !== undefined) change.mutate({ rules: rules.toSpliced(at, 1).toSpliced(at + by, 0, rule) });
  };
  return (
    <Panel
      title="Rules"
      flush
      actions={
        <Button size="sm" onClick={() => setEdited(rules.length)}>
          <Plus /> Add rule
        </Button>
      }
    >
      {rules.length === 0 ? (
        <Empty icon={<ShieldCheck />} title="Only the defaults decide">
          Reads are allowed. Writes of agents to connections ask a person, destructive calls another person
          than the one behind the agent.
        </Empty>
      ) : (
        <ol className="divide-y divide-line">
          {rules.map((rule, at) => (
            <li key={rule.id} className="flex flex-wrap items-center gap-x-3 gap-y-2 px-4 py-2.5">
              <div className="min-w-0 flex-1 basis-64">
                <p className="flex flex-wrap items-center gap-2 font-medium">
                  {rule.id}
                  <Badge tone={rule.decision === "deny" ? "bad" : "neutral"}>
                    {DECISIONS.find(({ value }) => value === rule.decision)?.label}
                  </Badge>
                  {rule.fourEyes === true ? <Badge>four eyes</Badge> : null}
                  {rule.enabled === false ? <Badge tone="warn">off</Badge> : null}
                </p>
                <RuleWords when={rule.when} />
              </div>
              <div className="flex flex-wrap gap-1">
                <IconButton label={`Move ${rule.id} up`} disabled={at === 0} onClick={() => move(at, -1)}>
                  <ArrowUp />
                </IconButton>
                <IconButton
                  label={`Move ${rule.id} down`}
                  disabled={at === rules.length - 1}
                  onClick={() => move(at, 1)}
                >
                  <ArrowDown />
                </IconButton>
                <Button
                  size="sm"
                  aria-label={`Turn ${rule.id} ${rule.enabled === false ? "on" : "off"}`}
                  onClick={() => replace(at, { ...rule, enabled: rule.enabled === false })}
                >
                  {rule.enabled === false ? "Turn on" : "Turn off"}
                </Button>
                <IconButton label={`Edit ${rule.id}`} onClick={() => setEdited(at)}>
                  <Pencil />
                </IconButton>
                <IconButton label={`Remove ${rule.id}`} onClick={() => replace(at)}>
                  <Trash2 />
                </IconButton>
              </div>
            </li>
          ))}
        </ol>
      )}
      {edited === null ? null : (
        <RuleDialog
          rule={rules[edited] ?? NEW}
          others={(rule) => rules.toSpliced(edited, 1, rule)}
          now={rules}
          busy={change.isPending}
          onSave={(list) => change.mutate({ rules: list }, { onSuccess: () => setEdited(null) })}
          onClose={() => setEdited(null)}
        />
      )}
    </Panel>
  );
}

interface DialogProps {
  readonly rule: Rule;
  /** All rules with this one in its place. */
  readonly others: (rule: Rule) => readonly Rule[];
  readonly now: readonly Rule[];
  readonly busy: boolean;
  readonly onSave: (rules: Rule[]) => void;
  readonly onClose: () => void;
}

function RuleDialog({ rule, others, now, busy, onSave, onClose }: DialogProps) {
  const [draft, setDraft] = useState(rule);
  const [asAgent, setAsAgent] = useState(true);
  const change = (part: Partial<Rule>) => {
    setDraft({ ...draft, ...part });
    simulate.reset();
  };
  const simulate = useMutation({
    mutationFn: async () => {
      const options = { interactive: true };
      const wanted = await call("simulate_guard", { rules: [...others(draft)], agent: asAgent }, options);
      const known = await call("simulate_guard", { rules: [...now], agent: asAgent }, options);
      return { wanted: wanted.simulation, known: known.simulation };
    },
  });
  return (
    <Dialog
      open
      title={rule.id === "" ? "Add a rule" : `Rule ${rule.id}`}
      description="The first rule whose condition holds decides, before the defaults and for every caller."
      onClose={onClose}
      footer={
        <>
          <Button busy={simulate.isPending} onClick={() => simulate.mutate()}>
            Preview on the last calls
          </Button>
          <Button look="primary" busy={busy} onClick={() => onSave([...others(draft)])}>
            Save rule
          </Button>
        </>
      }
    >
      <div className="space-y-4">
        <InputField
          label="Name"
          value={draft.id}
          placeholder="no-large-refunds"
          hint="Lower-case letters, digits and hyphens."
          onText={(id) => change({ id })}
        />
        <RuleCondition when={draft.when} onChange={(when) => change({ when })} />
        <SelectField
          label="Decision"
          value={draft.decision}
          options={DECISIONS}
          onChoose={(decision) => change({ decision })}
        />
        {draft.decision === "ask" ? (
          <CheckField
            label="Four eyes: not the person behind the caller decides"
            checked={draft.fourEyes ?? false}
            onCheck={(fourEyes) => change({ fourEyes })}
          />
        ) : null}
        <CheckField
          label="Preview as if an agent had made every call"
          checked={asAgent}
          onCheck={(value) => {
            setAsAgent(value);
            simulate.reset();
          }}
        />
        <ErrorText text={simulate.error?.message} className="text-sm text-bad" />
        {simulate.data === undefined ? null : <Simulated {...simulate.data} />}
      </div>
    </Dialog>
  );
}

/** What the rules would have done, beside what those of now would. */
function Simulated({ wanted, known }: { readonly wanted: GuardSimulation; readonly known: GuardSimulation }) {
  const words = ({ counts }: GuardSimulation): string =>
    [
      `asked ${count(counts.ask, "time")}`,
      `refused ${counts.deny}`,
      ...(counts["dry-run"] === 0 ? [] : [`allowed a dry run of ${counts["dry-run"]}`]),
      `allowed ${counts.allow}`,
    ].join(", ");
  return (
    <div className="overflow-clip rounded-xl">
      <Banner
        tone="neutral"
        title={`Of the last ${count(wanted.calls, "call")} it would have ${words(wanted)}`}
      >
        Without this change: {words(known)}.
        <ul className="mt-1">
          {wanted.changed.slice(0, 8).map(({ at, tool, by, decision, rule }) => (
            <li key={`${at} ${tool} ${by}`} className="break-all">
              {decision} · {tool} · {by} · {rule}
            </li>
          ))}
        </ul>
      </Banner>
    </div>
  );
}
