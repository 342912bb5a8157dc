import {
  type Field,
  type FormValue,
  type Variant,
  isFormObject,
  initialOf,
  opened,
  variantOf,
} from "@workflow-ui/forms";
import { useEffect, useRef } from "react";
import { LongText } from "./ui/long-text.tsx";
import { Section } from "./containers.tsx";
import { useFormScope, useSelect } from "./context.ts";
import { FieldView } from "./field-view.tsx";
import { Frame, useIds } from "./frame.tsx";
import { richText } from "./rich-text.tsx";
import { BigSelect } from "./widgets/big-select.tsx";
import { RadioRow } from "./widgets/choice.tsx";
import type { WidgetProps } from "./widgets/types.ts";

/** More alternatives than this are searched by typing. */
const MANY = 40;

/** One of several alternatives. What was typed into another one comes back when it is chosen again. */
export function VariantsWidget({
  field,
  pointer,
  required,
  bare = false,
  depth,
}: WidgetProps & { readonly depth: number }) {
  const { store, document, readOnly } = useFormScope();
  const variants = field.variants ?? [];
  const left = useRef(new Map<string, FormValue | undefined>());
  const fixed = readOnly || field.readOnly === true;
  // What is required is drawn at once, as the first alternative that is not going away.
  const first = variants.find((variant) => variant.deprecated !== true) ?? variants[0];
  const shownFirst = required && !fixed ? (first?.id ?? "") : "";
  // Nothing is begun: no value, or an empty object where an alternative has constants.
  const isOpen = (value: FormValue | undefined) =>
    shownFirst !== "" &&
    (value === undefined || (isBare(value) && isBare(first && initialOf(document, first.field)) === false));
  const current = useSelect(pointer, (value) => {
    const chosen = store.choice(pointer);
    if (chosen !== undefined && variants.some((variant) => variant.id === chosen)) return chosen;
    if (value === undefined || isOpen(value)) return shownFirst;
    return variantOf(document, field, value)?.id ?? variants[0]?.id ?? "";
  });
  const chosen = variants.find((variant) => variant.id === current);
  const isEmpty = useSelect(pointer, isOpen);
  // Drawn, and not chosen yet: nothing of it is in the value before the person chooses it or types into it.
  const isUnchosen = useSelect(pointer, (value) => isOpen(value) && store.choice(pointer) === undefined);
  useEffect(() => {
    if (!isEmpty || chosen === undefined) return;
    store.imply(pointer, { variant: chosen.id, value: initialOf(document, chosen.field) });
    return () => store.imply(pointer, null);
  }, [isEmpty, chosen, store, pointer, document]);
  const pick = (index: number) => {
    const next = variants[index];
    if (next === undefined || (next.id === current && !isUnchosen)) {
      if (index >= variants.length) store.set(pointer, undefined);
      return;
    }
    if (!isUnchosen) left.current.set(current, store.get(pointer));
    const value = left.current.has(next.id) ? left.current.get(next.id) : startOf(next, store.get(pointer));
    store.set(pointer, value);
    store.choose(pointer, next.id);
    store.onAnnounce(`${next.label} chosen`);
  };
  const startOf = (variant: Variant, before: FormValue | undefined): FormValue | undefined => {
    const fresh = initialOf(document, variant.field);
    if (!isFormObject(fresh) || !isFormObject(before)) return fresh;
    const shared = new Set(
      (variant.field.children ?? []).filter((child) => child.const === undefined).map((child) => child.name),
    );
    const kept = Object.entries(before).filter(
      ([key, value]) => shared.has(key) && value !== undefined && key !== field.discriminator?.property,
    );
    return { ...fresh, ...Object.fromEntries(kept) };
  };
  const chooser = (
    <Chooser
      field={field}
      pointer={pointer}
      variants={variants}
      current={isUnchosen ? "" : current}
      required={required}
      fixed={fixed}
      onPick={pick}
    />
  );
  if (chosen === undefined) {
    return (
      <Frame field={field} pointer={pointer} required={required} hideLabel={bare} group>
        {chooser}
      </Frame>
    );
  }
  const whole = opened(document, chosen.field);
  const inner: Field = {
    ...chosen.field,
    // Constants are shown once they are in the value.
    ...(isUnchosen &&
      whole.children !== undefined && {
        ...whole,
        children: whole.children.filter(({ widget }) => widget !== "constant"),
      }),
    name: field.name,
    label: chosen.label,
    required: true,
    ...(field.secret === true && { secret: true }),
  };
  // A definition with parts says its own help above them.
  const repeatsHelp =
    whole.help === chosen.help && ["group", "map", "list", "tuple", "variants"].includes(whole.widget);
  return (
    <Section field={field} pointer={pointer} required={required} bare={bare} depth={depth} innerTells>
      <div className="space-y-3">
        {chooser}
        {chosen.help === undefined || repeatsHelp ? null : (
          <LongText text={chosen.help} draw={richText} className="max-w-prose text-sm text-ink-2" />
        )}
        <FieldView key={chosen.id} field={inner} pointer={pointer} depth={depth + 1} bare />
      </div>
    </Section>
  );
}

/** Whether an object has no members; undefined for every other value. */
function isBare(value: FormValue | undefined): boolean | undefined {
  return isFormObject(value) ? Object.keys(value).length === 0 : undefined;
}

interface ChooserProps {
  readonly field: Field;
  readonly pointer: string;
  readonly variants: readonly Variant[];
  readonly current: string;
  readonly required: boolean;
  readonly fixed: boolean;
  readonly onPick: (index: number) => void;
}

function Chooser({ field, pointer, variants, current, required, fixed, onPick }: ChooserProps) {
  const ids = useIds(pointer);
  const { plain, t } = useFormScope();
  const index = variants.findIndex((variant) => variant.id === current);
  const label = t(`Kind of ${field.label === "" ? "value" : field.label}`);
  const short =
    variants.length <= 4 && variants.reduce((sum, variant) => sum + variant.label.length, 0) <= 48;
  if (short) {
    const options = required ? variants : [...variants, { label: t("Not set") }];
    return (
      <RadioRow
        label={label}
        pointer={`${pointer}?kind`}
        options={options}
        selected={index < 0 && !required ? variants.length : index}
        disabled={fixed}
        onPick={onPick}
      />
    );
  }
  if (variants.length > MANY) {
    return (
      <div className="max-w-96">
        <BigSelect
          options={variants.map((variant) => ({
            value: variant.id,
            label: variant.deprecated === true ? t(`${variant.label} (deprecated)`) : variant.label,
          }))}
          index={index}
          optional={!required}
          label={label}
          onPick={(at) => onPick(at < 0 ? variants.length : at)}
          controlProps={{ id: `${ids.control}?kind`, readOnly: fixed }}
        />
      </div>
    );
  }
  const select = (
    <select
      id={`${ids.control}?kind`}
      aria-label={label}
      value={index < 0 ? "" : String(index)}
      disabled={fixed}
      onChange={(event) => onPick(event.target.value === "" ? variants.length : Number(event.target.value))}
      className="field-control max-w-96"
    >
      {required && index >= 0 ? null : <option value="">{t(required ? "Choose a kind…" : "Not set")}</option>}
      {variants.map((variant, at) => (
        <option key={variant.id} value={String(at)}>
          {variant.deprecated === true ? t(`${variant.label} (deprecated)`) : variant.label}
        </option>
      ))}
    </select>
  );
  return plain ? (
    <div>
      <span aria-hidden className="mb-1 block text-base font-medium">
        {label}
      </span>
      {select}
    </div>
  ) : (
    select
  );
}
