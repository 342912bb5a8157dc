import { CircleSlash } from "lucide-react";
import { useFormScope, useSelect } from "../context.ts";
import { Frame, useIds } from "../frame.tsx";
import { literal, parentPointer } from "@workflow-ui/forms";
import { Button } from "../ui/button.tsx";
import type { WidgetProps } from "./types.ts";

/** The one value that is allowed. An optional one can be left out. */
export function ConstantWidget({ field, pointer, required, bare = false }: WidgetProps) {
  const { store, readOnly, plain, t } = useFormScope();
  const ids = useIds(pointer);
  const present = useSelect(pointer, (value) => value !== undefined);
  const hasHolder = useSelect(parentPointer(pointer), (value) => value !== undefined);
  // In a part that is not begun, such as an alternative before it is chosen, it would look as if it were there.
  if (required && !present && pointer !== "" && (bare || !hasHolder)) return null;
  const shown = field.options?.[0]?.label ?? literal(field.const);
  // The variant that was chosen says it already.
  if (plain && required && present && field.options === undefined) return null;
  return (
    <Frame field={field} pointer={pointer} required={required} hideLabel={bare} group>
      <div className="flex items-center gap-2">
        {required && present ? (
          <code className="rounded-md bg-sunken px-2 py-1 font-mono text-sm text-ink-2">{shown}</code>
        ) : (
          <label className="flex items-center gap-2">
            <input
              id={ids.control}
              type="checkbox"
              checked={present}
              disabled={readOnly || field.readOnly === true}
              onChange={(event) =>
                store.set(pointer, event.target.checked ? (field.const ?? null) : undefined)
              }
              className="size-4 accent-accent"
            />
            <span className="text-sm text-ink-2">
              {t("Send")} <code className="font-mono">{shown}</code>
            </span>
          </label>
        )}
      </div>
    </Frame>
  );
}

/** Null and nothing else. */
export function NullWidget({ field, pointer, required, bare = false }: WidgetProps) {
  const constant = { ...field, const: null };
  return <ConstantWidget field={constant} pointer={pointer} required={required} bare={bare} />;
}

/** No value is allowed here; one that is there all the same can be taken away. */
export function NeverWidget({ field, pointer, required, bare = false }: WidgetProps) {
  const { store, t } = useFormScope();
  const present = useSelect(pointer, (value) => value !== undefined);
  if (!present && !required) return null;
  return (
    <Frame field={field} pointer={pointer} required={required} hideLabel={bare} group>
      <div className="flex flex-wrap items-center gap-2 text-sm text-ink-2">
        <CircleSlash aria-hidden className="size-4" /> {t("No value is allowed here.")}
        {present ? (
          <Button size="sm" onClick={() => store.set(pointer, undefined)}>
            {t("Remove it")}
          </Button>
        ) : null}
      </div>
    </Frame>
  );
}

/** A nullable field that is null: says so, and offers to give a value. */
export function IsNull({
  field,
  pointer,
  required,
  bare = false,
  onValue,
}: WidgetProps & { readonly onValue: () => void }) {
  const { t } = useFormScope();
  return (
    <Frame field={field} pointer={pointer} required={required} hideLabel={bare} group>
      <div className="flex items-center gap-2">
        <code className="rounded-md bg-sunken px-2 py-1 font-mono text-sm text-ink-2">null</code>
        <Button size="sm" look="ghost" onClick={onValue}>
          {t("Give a value")}
        </Button>
      </div>
    </Frame>
  );
}
