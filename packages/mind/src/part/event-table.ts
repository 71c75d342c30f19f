/** A table of what a view makes of some kinds of events; the other kinds say nothing to it. */
export type EventTable<Event extends { readonly kind: string }, Given extends readonly unknown[], Made> = {
  readonly [K in Event['kind']]?: (event: Extract<Event, { readonly kind: K }>, ...given: Given) => Made;
};

/** @returns undefined where the table has no row for the event */
export function fromTable<Event extends { readonly kind: string }, Given extends readonly unknown[], Made>(
  table: EventTable<Event, Given, Made>,
  event: Event,
  ...given: Given
): Made | undefined {
  const row = table[event.kind as Event['kind']] as ((event: Event, ...given: Given) => Made) | undefined;
  return row?.(event, ...given);
}
