// Violates import(no-mutable-exports): nobody's state is everybody's state.
export let count = 0;

export function add(): void {
  count += 1;
}
