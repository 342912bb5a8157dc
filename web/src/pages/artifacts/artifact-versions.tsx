import { diff, parseExact, type FormValue } from "@workflow-ui/forms";
import { useMemo, useState } from "react";
import { ButtonFor } from "../../ui/button-for.tsx";
import { Panel } from "../../ui/page.tsx";
import { Select } from "../../ui/fields.tsx";

interface VersionsProps {
  readonly current: unknown;
  readonly versions: readonly { readonly label: string; readonly content: unknown }[];
  readonly onRestore?: (content: unknown) => void;
}

/** Earlier contents: what changed since, and the way back. */
export function Versions({ current, versions, onRestore }: VersionsProps) {
  const [chosen, setChosen] = useState("0");
  const old = versions[Number(chosen)];
  const changes = useMemo(
    () => (old === undefined ? [] : diff(plain(old.content), plain(current))),
    [old, current],
  );
  return (
    <Panel title="Versions">
      {versions.length === 0 || old === undefined ? (
        <p className="text-ink-2">This is the only version.</p>
      ) : (
        <>
          <Select
            aria-label="Version to compare with"
            look="mb-3"
            value={chosen}
            options={versions.map(({ label }, index) => ({ value: String(index), label }))}
            onChoose={setChosen}
          />
          {changes.length === 0 ? (
            <p className="text-ink-2">Nothing differs from the current one.</p>
          ) : (
            <ul className="space-y-1 font-mono text-sm">
              {changes.map((change) => (
                <li
                  key={change.op + change.path}
                  className={
                    change.op === "add" ? "text-good" : change.op === "remove" ? "text-bad" : "text-info"
                  }
                >
                  {change.op === "add" ? "+" : change.op === "remove" ? "−" : "~"}{" "}
                  {change.path === "" ? "/" : change.path}
                  {change.value === undefined ? "" : ` = ${JSON.stringify(change.value)}`}
                </li>
              ))}
            </ul>
          )}
          {onRestore === undefined ? null : (
            <ButtonFor op="update_artifact" size="sm" className="mt-3" onClick={() => onRestore(old.content)}>
              Restore this version
            </ButtonFor>
          )}
        </>
      )}
    </Panel>
  );
}

function plain(value: unknown): FormValue {
  return parseExact(JSON.stringify(value ?? null));
}
