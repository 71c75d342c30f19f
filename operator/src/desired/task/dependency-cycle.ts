import type { DependencyFacts } from '../../observe/observe-task.ts';

/**
 * A path along `dependsOn` from a Task back to itself: its name first and last. Undefined if the Task is in no cycle, even if
 * it depends on one: the Tasks of that cycle report it.
 *
 * A finished Task waits for nobody, so no cycle goes through it.
 */
export function dependencyCycle(
  name: string,
  dependsOn: readonly string[],
  tasks: ReadonlyMap<string, DependencyFacts>,
): readonly string[] | undefined {
  const cameFrom = new Map<string, string>(dependsOn.map((next) => [next, name]));
  const open = [...dependsOn];
  for (let current = open.shift(); current !== undefined; current = open.shift()) {
    if (current === name) return wayBack(name, cameFrom);
    const facts = tasks.get(current);
    if (facts === undefined || facts.outcome !== undefined) continue;
    for (const next of facts.dependsOn.filter((it) => !cameFrom.has(it))) {
      cameFrom.set(next, current);
      open.push(next);
    }
  }
  return undefined;
}

function wayBack(name: string, cameFrom: ReadonlyMap<string, string>): readonly string[] {
  const way = [name];
  for (let at = cameFrom.get(name); at !== undefined; at = at === name ? undefined : cameFrom.get(at)) way.unshift(at);
  return way;
}
