import type { Affect } from './measure.ts';

const ARROWS = { Rising: '↑', Falling: '↓', Stable: '↔' } as const satisfies Readonly<Record<Affect['trend'], string>>;

/** `desperation 34% · calm 61% · confidence 58% · frustration 22% · pressure 31% ↔`. Source: springdrift 4 (the paper's form). */
export function affectLine({ trend, ...felt }: Affect): string {
  const { desperation, calm, confidence, frustration, pressure } = felt;
  const told = Object.entries({ desperation, calm, confidence, frustration, pressure });
  return `${told.map(([name, value]) => `${name} ${Math.round(value)}%`).join(' · ')} ${ARROWS[trend]}`;
}
