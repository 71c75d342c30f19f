/**
 * Which work is thought about before and after, what code says where no model does, and the case that a post-mortem becomes.
 *
 * I1  Each subject has one post-mortem, and it becomes one case: its id is the subject's, and the store of cases takes an id once.
 *
 * Source: springdrift 8. Differs: verdict and category come from how the work ended, so a model cannot call a failure a strategy.
 */
import { significantWords } from '../../meaning/significant-words.ts';
import type { CaseWritten } from '../cases/cases.ts';
import type { AppraisalVerdict, PostMortem, PreMortem } from './appraisal.ts';
import { isOver, type Endeavour } from './endeavour.ts';
import { complexityOf, isEnded, stepsDone, type WorkItem } from './item.ts';
import { unfinished } from './magnitudes.ts';
import type { Work } from './work-state.ts';

/** Steps from which on an item of any complexity is thought about. Source: springdrift 8. */
const STEPS_APPRAISED = 3;

/** Whether an item is worth a model's thought. Source: springdrift 8. */
export function isWeighty(item: WorkItem): boolean {
  return complexityOf(item) !== 'Simple' || item.steps.length >= STEPS_APPRAISED || item.endeavourId !== undefined;
}

export type Subject =
  | { readonly subject: 'Item'; readonly of: WorkItem }
  | { readonly subject: 'Endeavour'; readonly of: Endeavour };

export const idOf = ({ subject, of }: Subject): string => (subject === 'Item' ? of.itemId : of.endeavourId);

/** Items whose pre-mortem is due, oldest first: they are worked on, and nobody thought of what can go wrong. */
export function preMortemsDue({ items }: Pick<Work, 'items'>): readonly WorkItem[] {
  return [...items.values()].filter((it) => it.status === 'Active' && it.preMortem === undefined && isWeighty(it));
}

/** What ended and has no post-mortem yet, in the order in which it ended. */
export function postMortemsDue({ ended, over }: Pick<Work, 'ended' | 'over'>): readonly Subject[] {
  const items = [...ended.values()].filter((it) => isEnded(it) && it.postMortem === undefined);
  const endeavours = [...over.values()].filter((it) => isOver(it) && it.postMortem === undefined);
  return [
    ...items.map((of) => ({ subject: 'Item', of }) as const),
    ...endeavours.map((of) => ({ subject: 'Endeavour', of }) as const),
  ];
}

/** Where no model answers: what the record shows of the item can go wrong. */
export function preMortemByCode(item: WorkItem, work: Work): PreMortem {
  const waiting = unfinished(item, work).map(({ itemId, status }) => `${itemId} is ${status}`);
  const unchecked = item.steps.filter(({ verification }) => verification === undefined).map(({ number }) => number);
  return {
    failureModes: item.risks.slice(0, LISTED_MAX).map(({ risk }) => risk),
    blindSpotAssumptions: [],
    dependenciesAtRisk: waiting.slice(0, LISTED_MAX),
    informationGaps: unchecked.length === 0 ? [] : [`steps ${unchecked.join(', ')} name nothing that shows them done`],
    similarPitfallCaseIds: [],
  };
}

/** Lines of one list: as many as an appraisal may have. */
const LISTED_MAX = 10;

/** How work ended, as the record has it. A failure with half of the steps complete is a part of what was wanted. */
export function verdictOf({ subject, of }: Subject): AppraisalVerdict {
  if (of.status === 'Complete') return 'Achieved';
  if (of.status === 'Abandoned') return 'AbandonedWithLearnings';
  const [done, all] =
    subject === 'Item'
      ? [stepsDone(of), of.steps.length]
      : [of.phases.filter(({ status }) => status === 'Complete').length, of.phases.length];
  return done > 0 && done * 2 >= all ? 'PartiallyAchieved' : 'NotAchieved';
}

export function postMortemByCode(subject: Subject): PostMortem {
  const { of } = subject;
  const risks = subject.subject === 'Item' ? subject.of.risks : [];
  const predicted = subject.subject === 'Item' ? (subject.of.preMortem?.failureModes ?? []) : [];
  const cameTrue = risks.filter(({ hasMaterialised }) => hasMaterialised).map(({ risk }) => risk);
  return {
    verdict: verdictOf(subject),
    predictionComparisons: predicted.slice(0, LISTED_MAX).map((prediction) => {
      const accurate = cameTrue.includes(prediction);
      return { prediction, reality: accurate ? 'it came true' : 'nothing on the record shows it', accurate };
    }),
    lessonsLearned: of.reason === undefined ? [] : [of.reason],
    contributingFactors: cameTrue.slice(0, LISTED_MAX),
    ...(subject.subject === 'Endeavour' ? { goalAchieved: of.status === 'Complete' } : {}),
  };
}

type CaseOf = Pick<CaseWritten, 'category'> & Pick<CaseWritten['outcome'], 'status' | 'confidence'>;

/** Source: springdrift 8. */
const CASES: Readonly<Record<AppraisalVerdict, CaseOf>> = {
  Achieved: { category: 'Strategy', status: 'Success', confidence: 0.8 },
  PartiallyAchieved: { category: 'Troubleshooting', status: 'Partial', confidence: 0.6 },
  NotAchieved: { category: 'Pitfall', status: 'Failure', confidence: 0.7 },
  AbandonedWithLearnings: { category: 'Pitfall', status: 'Failure', confidence: 0.5 },
};

/** Words of a problem by which a case is found. */
const KEYWORDS_MAX = 12;
/** Characters of a keyword: shorter ones carry no subject. Source: springdrift 4. */
const KEYWORD_CHARACTERS_MIN = 4;

/** What later work is told of it. */
export function caseOf(subject: Subject, postMortem: PostMortem): CaseWritten {
  const { of } = subject;
  const { category, status, confidence } = CASES[postMortem.verdict];
  const wanted = subject.subject === 'Item' ? subject.of.description : subject.of.goal;
  const steps =
    subject.subject === 'Item' ? subject.of.steps.map(({ description }) => description) : phasesOf(subject.of);
  const words = significantWords(`${of.title} ${wanted}`).filter((it) => it.length >= KEYWORD_CHARACTERS_MIN);
  return {
    caseId: `${idOf(subject)}-case`,
    category,
    problem: {
      input: wanted,
      intent: of.title,
      domain: '',
      entities: [],
      keywords: [...new Set(words)].slice(0, KEYWORDS_MAX),
      complexity: subject.subject === 'Item' && complexityOf(subject.of) === 'Simple' ? 'Simple' : 'Complex',
    },
    solution: { approach: steps.join('; '), agents: [], tools: [], steps: [] },
    outcome: {
      status,
      confidence,
      assessment: assessmentOf(postMortem),
      pitfalls: status === 'Success' ? [] : [...postMortem.lessonsLearned],
    },
    label: of.label,
  };
}

const phasesOf = ({ phases }: Endeavour): readonly string[] => phases.map(({ name }) => name);

function assessmentOf({ verdict, lessonsLearned, contributingFactors }: PostMortem): string {
  const why = contributingFactors.length === 0 ? '' : ` Because of: ${contributingFactors.join('; ')}.`;
  const learned = lessonsLearned.length === 0 ? '' : ` Learned: ${lessonsLearned.join('; ')}.`;
  return `${verdict}.${why}${learned}`;
}
