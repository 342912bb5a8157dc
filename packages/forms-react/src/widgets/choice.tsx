import { type FormValue, type Option, sameJson, literal } from "@workflow-ui/forms";
import { cx } from "../ui/cx.ts";
import { useFormScope, useValue } from "../context.ts";
import { Frame, notSetText, useControlProps, useIds } from "../frame.tsx";
import { BigSelect } from "./big-select.tsx";
import type { WidgetProps } from "./types.ts";

const MANY = 40;

/** True or false; when the field is optional, not set is a third answer. */
export function CheckboxWidget({ field, pointer, required, bare = false }: WidgetProps) {
  const { store, t } = useFormScope();
  const value = useValue(pointer);
  const props = useControlProps(field, pointer, required);
  if (field.ui?.widget === "toggle") {
    const { readOnly, "aria-required": _required, ...attributes } = props;
    return (
      <Frame field={field} pointer={pointer} required={required} hideLabel={bare}>
        <label className="inline-flex min-h-7 items-center gap-2.5">
          <input
            {...attributes}
            type="checkbox"
            role="switch"
            aria-labelledby={`${props.id}:label`}
            checked={(value ?? field.default) === true}
            disabled={readOnly}
            onChange={(event) => store.set(pointer, event.target.checked)}
            className="toggle"
          />
          <span aria-hidden className="text-ink-2">
            {t(value === undefined ? notSetText(field) : value === true ? "Yes" : "No")}
          </span>
        </label>
      </Frame>
    );
  }
  const options = [
    { value: true, label: t("Yes") },
    { value: false, label: t("No") },
    ...(required ? [] : [{ value: undefined, label: t(notSetText(field)) }]),
  ];
  return (
    <Frame field={field} pointer={pointer} required={required} hideLabel={bare} group>
      <RadioRow
        label={field.label}
        options={options}
        selected={options.findIndex((option) => option.value === value)}
        disabled={props.readOnly === true}
        pointer={pointer}
        onPick={(index) => store.set(pointer, options[index]?.value)}
      />
    </Frame>
  );
}

/** One of a few or of very many options. */
export function SelectWidget({ field, pointer, required, bare = false }: WidgetProps) {
  const { store, t } = useFormScope();
  const value = useValue(pointer);
  const props = useControlProps(field, pointer, required);
  const options = field.options ?? [];
  const index = options.findIndex((option) => sameJson(option.value, value));
  const stray = value !== undefined && index < 0;
  const wanted = field.ui?.widget;
  const isShort = options.length <= 4 && options.reduce((sum, { label }) => sum + label.length, 0) <= 36;
  const short =
    (wanted === "radio" ? options.length <= MANY : isShort && wanted !== "select" && wanted !== "search") &&
    !stray;
  const pick = (at: number) => store.set(pointer, options[at]?.value);
  const disabled = props.readOnly === true;
  const barred = field.ui?.options?.["disabled"];
  const isBarred = ({ value: each }: Option) =>
    Array.isArray(barred) && barred.some((item) => sameJson(item, each));
  if (short) {
    const all = required ? options : [...options, { label: t(notSetText(field)) }];
    return (
      <Frame field={field} pointer={pointer} required={required} hideLabel={bare} group>
        <RadioRow
          label={field.label}
          options={all}
          selected={index < 0 && !required ? options.length : index}
          disabled={disabled}
          barred={options.map(isBarred)}
          vertical={field.ui?.options?.["orientation"] === "vertical"}
          pointer={pointer}
          onPick={pick}
        />
      </Frame>
    );
  }
  return (
    <Frame field={field} pointer={pointer} required={required} hideLabel={bare}>
      {options.length > MANY || wanted === "search" ? (
        <BigSelect
          options={options}
          index={index}
          onPick={pick}
          optional={!required}
          unset={t(notSetText(field))}
          controlProps={props}
          label={field.label}
        />
      ) : (
        <select
          id={props.id}
          aria-required={props["aria-required"]}
          aria-invalid={props["aria-invalid"] === true || stray || undefined}
          aria-describedby={props["aria-describedby"]}
          disabled={disabled}
          value={stray ? "stray" : index < 0 ? "" : String(index)}
          onChange={(event) => pick(event.target.value === "" ? -1 : Number(event.target.value))}
          className="field-control"
        >
          {required && index >= 0 ? null : (
            <option value="">{t(required ? "Choose…" : notSetText(field))}</option>
          )}
          {stray ? <option value="stray">{t(`${literal(value)} (not an option)`)}</option> : null}
          {options.map((option, at) => (
            <option key={`${at}-${option.label}`} value={String(at)} disabled={isBarred(option)}>
              {option.deprecated === true ? t(`${option.label} (deprecated)`) : option.label}
            </option>
          ))}
        </select>
      )}
      <OptionHelp option={options[index]} />
    </Frame>
  );
}

function OptionHelp({ option }: { readonly option: Option | undefined }) {
  return option?.help === undefined ? null : <p className="mt-1 text-xs text-ink-3">{option.help}</p>;
}

/** Several different values out of the options. */
export function MultiselectWidget({ field, pointer, required, bare = false }: WidgetProps) {
  const { store } = useFormScope();
  const value = useValue(pointer);
  const props = useControlProps(field, pointer, required);
  const ids = useIds(pointer);
  const options = field.options ?? [];
  const chosen: readonly FormValue[] = Array.isArray(value) ? value : [];
  const toggle = (option: Option) => {
    const rest = chosen.filter((item) => !sameJson(item, option.value));
    const next = rest.length === chosen.length ? [...chosen, option.value] : rest;
    store.set(pointer, next.length === 0 && !required ? undefined : next);
  };
  return (
    <Frame
      field={field}
      pointer={pointer}
      required={required}
      hideLabel={bare}
      group
      aside={
        <span className="text-xs text-ink-3">
          {chosen.length} of {options.length}
        </span>
      }
    >
      {options.length > MANY ? (
        <BigSelect
          options={options}
          index={-1}
          chosen={chosen}
          onPick={(at) => {
            const option = options[at];
            if (option !== undefined) toggle(option);
          }}
          optional={false}
          controlProps={props}
          label={field.label}
        />
      ) : (
        <div
          role="group"
          aria-labelledby={ids.label}
          aria-describedby={props["aria-describedby"]}
          className="flex flex-wrap gap-1.5"
        >
          {options.map((option, at) => {
            const on = chosen.some((item) => sameJson(item, option.value));
            return (
              <label
                key={`${at}-${option.label}`}
                title={option.help}
                className={cx(
                  "inline-flex min-h-7 items-center gap-1.5 rounded-md border px-2 text-sm has-focus-visible:outline-2 has-focus-visible:outline-accent",
                  on
                    ? "border-accent bg-accent-soft text-accent-ink"
                    : "border-line bg-surface hover:border-line-strong",
                )}
              >
                <input
                  type="checkbox"
                  id={at === 0 ? props.id : undefined}
                  checked={on}
                  disabled={props.readOnly === true}
                  onChange={() => toggle(option)}
                  className="size-3.5 accent-accent outline-none"
                />
                {option.label}
              </label>
            );
          })}
        </div>
      )}
    </Frame>
  );
}

interface RadioRowProps {
  readonly label: string;
  readonly pointer: string;
  readonly options: readonly { readonly label: string; readonly help?: string }[];
  readonly selected: number;
  readonly disabled: boolean;
  /** Options that cannot be chosen. */
  readonly barred?: readonly boolean[];
  readonly vertical?: boolean;
  readonly onPick: (index: number) => void;
}

/** Radio buttons drawn as one row of segments. */
export function RadioRow({
  label,
  pointer,
  options,
  selected,
  disabled,
  barred = [],
  vertical = false,
  onPick,
}: RadioRowProps) {
  const ids = useIds(pointer);
  return (
    <div
      role="radiogroup"
      aria-label={label}
      className={cx(
        "flex w-fit max-w-full rounded-lg border border-line bg-sunken p-0.5",
        vertical ? "flex-col" : "flex-wrap",
      )}
    >
      {options.map((option, at) => (
        <label
          key={`${at}-${option.label}`}
          title={option.help}
          className={cx(
            "relative inline-flex h-7 items-center rounded-[6px] px-3 text-sm has-focus-visible:outline-2 has-focus-visible:outline-accent",
            at === selected ? "bg-raised font-medium text-ink shadow-card" : "text-ink-2 hover:text-ink",
            (disabled || barred[at] === true) && "opacity-70",
          )}
        >
          <input
            type="radio"
            name={ids.control}
            id={at === Math.max(selected, 0) ? ids.control : undefined}
            checked={at === selected}
            disabled={disabled || barred[at] === true}
            onChange={() => onPick(at)}
            className="absolute inset-0 cursor-pointer opacity-0"
          />
          {option.label}
        </label>
      ))}
    </div>
  );
}
