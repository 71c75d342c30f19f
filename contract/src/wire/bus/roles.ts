/** The routes of messages on the bus of a run, by type: derived from `api/roles.ts`. */
import { BUS_ROLES, roleRow, type BusMessageType, type BusRole } from '../../api/roles.ts';

export { BUS_ROLES, type BusMessageType, type BusRole };

interface Route {
  readonly from: readonly BusRole[];
  readonly to: BusRole;
}

/** All routes. Any other message is a boundary violation, including one of unknown type. */
export const BUS_ROUTES = Object.fromEntries(
  BUS_ROLES.flatMap((to) => (roleRow(to).reads ?? []).map((type) => [type, { from: sendersOf(type), to }] as const)),
) as Readonly<Record<BusMessageType, Route>>;

function sendersOf(type: string): readonly BusRole[] {
  return BUS_ROLES.filter((role) => roleRow(role).sends?.includes(type));
}

/** An unknown type has no route. */
export function mayTravel(type: string, from: string, to: string): boolean {
  if (!Object.hasOwn(BUS_ROUTES, type)) return false;
  const route = BUS_ROUTES[type as BusMessageType];
  return route.to === to && route.from.some((role) => role === from);
}
