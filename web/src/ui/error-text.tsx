/** What is wrong, announced at once to screen readers; nothing when nothing is. */
export function ErrorText({
  text,
  className = "text-sm text-bad",
  id,
}: {
  readonly text: string | null | undefined;
  readonly className?: string;
  readonly id?: string;
}) {
  return text ? (
    <p id={id} role="alert" className={className}>
      {text}
    </p>
  ) : null;
}
