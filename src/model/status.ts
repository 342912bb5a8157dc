/*
 * Records, and the views that we named ourselves, have a `state`. The contract says `status` for workflows, runs,
 * steps, attempts, approvals and handoffs. Only here one becomes the other.
 */

/** The member `status` that a view, an event or an expression has for the state of a record. */
export function statusOf<S>({ state }: { readonly state: S }): { readonly status: S } {
  return { status: state };
}

/** The state that a filter by `status` asks for; nothing without one. */
export function stateFrom<S>(status: S | undefined): { readonly state?: S } {
  return status === undefined ? {} : { state: status };
}
