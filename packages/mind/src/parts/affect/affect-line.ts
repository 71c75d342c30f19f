import { AFFECT_DIMENSIONS, type Affect } from './measure.ts';

const ARROWS = { Rising: '↑', Falling: '↓', Stable: '↔' } as const satisfies Readonly<Record<Affect['trend'], string>>;

/** `desperation 34% · calm 61% · confidence 58% · frustration 22% · pressure 31% ↔`. Source: springdrift 4 (the paper's form). */
export function affectLine({ trend, ...felt }: Affect): string {
  return `${AFFECT_DIMENSIONS.map((name) => `${name} ${Math.round(felt[name])}%`).join(' · ')} ${ARROWS[trend]}`;
}
