/** What is wrong, said at once to those who do not see it; nothing when nothing is. */
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
