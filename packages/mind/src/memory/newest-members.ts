/** Adds to a set of bounded size: the member that came first leaves it. */
export function addNewest<Member>(members: Set<Member>, member: Member, max: number): void {
  members.add(member);
  const [oldest] = members;
  if (members.size > max && oldest !== undefined) members.delete(oldest);
}
