/** Sets of bounded size, in the order in which their members came. */
import { forgetOldest } from '@retainer/contract/std/forget-oldest';

/** Adds to a set of bounded size: the member that came first leaves it. */
export function addNewest<Member>(members: Set<Member>, member: Member, max: number): void {
  members.add(member);
  forgetOldest(members, max);
}
