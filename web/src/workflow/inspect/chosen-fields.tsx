import type { Json, JsonObject } from "@workflow-ui/client";
import { isJsonRecord } from "#kernel/json.ts";
import { Check } from "lucide-react";
import { cx } from "@workflow-ui/forms-react/ui/cx.ts";
import { Labelled } from "./field.tsx";
import type { OfferedField } from "./suggest.ts";
import { ValueField } from "./value-field.tsx";

interface Props {
  readonly label: string;
  readonly help: string;
  readonly offered: readonly OfferedField[];
  readonly value: Json | undefined;
  readonly pointer: string;
  readonly onChange: (value: Json) => void;
}

/** A value made of fields that are chosen by clicking; each can then be changed, and others added. */
export function ChosenFields({ label, help, offered, value, pointer, onChange }: Props) {
  const chosen: JsonObject | null =
    isJsonRecord(value) && !("$ref" in value || "$expr" in value) ? value : null;
  const toggle = ({ name, value: held }: OfferedField) => {
    const { [name]: before, ...rest } = chosen ?? {};
    onChange(before === undefined ? { ...rest, [name]: held } : rest);
  };
  return (
    <>
      {chosen === null || offered.length === 0 ? null : (
        <Labelled label={label} help={help} group>
          {() => (
            <div className="flex flex-wrap gap-1.5">
              {offered.map((field, index) => {
                const isOn = Object.hasOwn(chosen, field.name);
                return (
                  <button
                    key={field.name}
                    type="button"
                    aria-pressed={isOn}
                    data-autofocus={index === 0 || undefined}
                    onClick={() => toggle(field)}
                    className={cx(
                      "inline-flex min-h-7 items-center gap-1 rounded-full border px-2.5 text-sm [&_svg]:size-3.5",
                      isOn
                        ? "border-accent bg-accent-soft text-accent-ink"
                        : "border-line bg-surface hover:bg-hover",
                    )}
                  >
                    {isOn ? <Check aria-hidden /> : null}
                    {field.label}
                  </button>
                );
              })}
            </div>
          )}
        </Labelled>
      )}
      <ValueField
        label={offered.length === 0 ? label : "Value"}
        schema={null}
        value={value}
        required
        pointer={pointer}
        onChange={(next) => onChange(next ?? null)}
      />
    </>
  );
}
