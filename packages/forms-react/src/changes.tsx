import {
  diff,
  type Change,
  type FormStore,
  initialAt,
  literal,
  labelsTo,
  withoutSecrets,
} from "@workflow-ui/forms";
import { useMemo } from "react";
import { Badge } from "./ui/badge.tsx";
import { useFormVersion } from "./use-form-store.ts";
import { useSay } from "./settings.ts";

const TONES = { add: "good", remove: "bad", replace: "info" } as const;
const WORDS = { add: "added", remove: "removed", replace: "changed" } as const;

/** What differs from the initial value, field by field. */
export function Changes({ store }: { readonly store: FormStore }) {
  const version = useFormVersion(store);
  const t = useSay();
  const changes = useMemo(() => {
    const shown = (value: FormStore["value"]) => withoutSecrets(store.document, value) ?? null;
    return diff(shown(store.initial), shown(store.value));
    // The version stands for the value.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [store, version]);
  if (changes.length === 0)
    return <p className="py-6 text-center text-ink-2">{t("Nothing differs from the initial value.")}</p>;
  return (
    <ul className="divide-y divide-line rounded-xl border border-line">
      {changes.map((change) => (
        <Row key={`${change.op} ${change.path}`} change={change} store={store} />
      ))}
    </ul>
  );
}

function Row({ change, store }: { readonly change: Change; readonly store: FormStore }) {
  const t = useSay();
  const before = initialAt(store.initial, change.path);
  return (
    <li className="flex flex-wrap items-baseline gap-x-3 gap-y-1 px-3 py-2">
      <Badge tone={TONES[change.op]}>{t(WORDS[change.op])}</Badge>
      <span className="font-medium">{labelsTo(store.document, change.path)}</span>
      <span className="min-w-0 flex-1 font-mono text-sm break-all text-ink-2">
        {change.op === "add" ? null : <del className="text-ink-3">{literal(before)}</del>}
        {change.op === "replace" ? " → " : null}
        {change.op === "remove" ? null : literal(change.value)}
      </span>
    </li>
  );
}
