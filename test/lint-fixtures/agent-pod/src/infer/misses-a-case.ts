// Violates typescript(switch-exhaustiveness-check): every decision covers its union.
export function word(end: 'Exited' | 'Killed'): string {
  let text = '';
  switch (end) {
    case 'Exited':
      text = 'ended';
  }
  return text;
}
