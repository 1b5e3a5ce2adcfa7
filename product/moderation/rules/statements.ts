/** Statements of reasons, in the shape of the EU's DSA transparency database. They have no personal data. */
import { hasEffect, type Actions, type Policy } from './cases.ts';
import type { CaseKind } from './queues.ts';

export const VISIBILITY_DECISIONS = [
  'DECISION_VISIBILITY_CONTENT_REMOVED',
  'DECISION_VISIBILITY_CONTENT_DISABLED',
  'DECISION_VISIBILITY_CONTENT_DEMOTED',
  'DECISION_VISIBILITY_CONTENT_AGE_RESTRICTED',
  'DECISION_VISIBILITY_CONTENT_INTERACTION_RESTRICTED',
  'DECISION_VISIBILITY_CONTENT_LABELLED',
  'DECISION_VISIBILITY_OTHER',
] as const;
export const ACCOUNT_DECISIONS = [
  'DECISION_ACCOUNT_SUSPENDED',
  'DECISION_ACCOUNT_TERMINATED',
] as const;
export const GROUNDS = [
  'DECISION_GROUND_ILLEGAL_CONTENT',
  'DECISION_GROUND_INCOMPATIBLE_CONTENT',
] as const;
export const CONTENT_TYPES = [
  'CONTENT_TYPE_APP',
  'CONTENT_TYPE_AUDIO',
  'CONTENT_TYPE_IMAGE',
  'CONTENT_TYPE_PRODUCT',
  'CONTENT_TYPE_SYNTHETIC_MEDIA',
  'CONTENT_TYPE_TEXT',
  'CONTENT_TYPE_VIDEO',
  'CONTENT_TYPE_OTHER',
] as const;
export const CATEGORIES = [
  'STATEMENT_CATEGORY_ANIMAL_WELFARE',
  'STATEMENT_CATEGORY_CONSUMER_INFORMATION',
  'STATEMENT_CATEGORY_CYBER_VIOLENCE',
  'STATEMENT_CATEGORY_CYBER_VIOLENCE_AGAINST_WOMEN',
  'STATEMENT_CATEGORY_DATA_PROTECTION_AND_PRIVACY_VIOLATIONS',
  'STATEMENT_CATEGORY_ILLEGAL_OR_HARMFUL_SPEECH',
  'STATEMENT_CATEGORY_INTELLECTUAL_PROPERTY_INFRINGEMENTS',
  'STATEMENT_CATEGORY_NEGATIVE_EFFECTS_ON_CIVIC_DISCOURSE_OR_ELECTIONS',
  'STATEMENT_CATEGORY_NOT_SPECIFIED_NOTICE',
  'STATEMENT_CATEGORY_OTHER_VIOLATION_TC',
  'STATEMENT_CATEGORY_PROTECTION_OF_MINORS',
  'STATEMENT_CATEGORY_RISK_FOR_PUBLIC_SECURITY',
  'STATEMENT_CATEGORY_SCAMS_AND_FRAUD',
  'STATEMENT_CATEGORY_SELF_HARM',
  'STATEMENT_CATEGORY_UNSAFE_AND_PROHIBITED_PRODUCTS',
  'STATEMENT_CATEGORY_VIOLENCE',
] as const;
export const KEYWORDS = [
  'KEYWORD_AGE_SPECIFIC_RESTRICTIONS_MINORS',
  'KEYWORD_COPYRIGHT_INFRINGEMENT',
  'KEYWORD_CYBER_HARASSMENT',
  'KEYWORD_IMPERSONATION_ACCOUNT_HIJACKING',
  'KEYWORD_NON_CONSENSUAL_IMAGE_SHARING',
  'KEYWORD_OTHER',
] as const;
export const SOURCES = [
  'SOURCE_ARTICLE_16',
  'SOURCE_TRUSTED_FLAGGER',
  'SOURCE_TYPE_OTHER_NOTIFICATION',
  'SOURCE_VOLUNTARY',
] as const;
const AUTOMATION = [
  'AUTOMATED_DECISION_FULLY',
  'AUTOMATED_DECISION_PARTIALLY',
  'AUTOMATED_DECISION_NOT_AUTOMATED',
] as const;

/** One statement, with the database's own names. */
export interface Statement {
  readonly puid: string;
  readonly decision_visibility?: readonly (typeof VISIBILITY_DECISIONS)[number][];
  readonly decision_visibility_other?: string;
  readonly decision_account?: (typeof ACCOUNT_DECISIONS)[number];
  readonly account_type?: 'ACCOUNT_TYPE_BUSINESS' | 'ACCOUNT_TYPE_PRIVATE';
  readonly decision_ground: (typeof GROUNDS)[number];
  readonly illegal_content_legal_ground?: string;
  readonly illegal_content_explanation?: string;
  readonly incompatible_content_ground?: string;
  readonly incompatible_content_explanation?: string;
  readonly incompatible_content_illegal?: 'Yes' | 'No';
  readonly content_type: readonly (typeof CONTENT_TYPES)[number][];
  readonly content_type_other?: string;
  readonly category: (typeof CATEGORIES)[number];
  readonly category_specification?: readonly (typeof KEYWORDS)[number][];
  readonly category_specification_other?: string;
  readonly content_date: string;
  readonly application_date: string;
  readonly end_date_account_restriction?: string;
  readonly decision_facts: string;
  readonly source_type: (typeof SOURCES)[number];
  readonly automated_detection: 'Yes' | 'No';
  readonly automated_decision: (typeof AUTOMATION)[number];
}

interface PolicyReasons {
  readonly category: Statement['category'];
  readonly keyword: (typeof KEYWORDS)[number] | null;
  /** Law that content of this kind breaks; null for content that only the terms forbid. */
  readonly law: string | null;
  readonly explanation: string;
}

/** What the database calls each policy. The texts go there in English, and have no personal data. */
const REASONS_OF: Readonly<Record<Policy, PolicyReasons>> = {
  minors: {
    category: 'STATEMENT_CATEGORY_PROTECTION_OF_MINORS',
    keyword: 'KEYWORD_AGE_SPECIFIC_RESTRICTIONS_MINORS',
    law: 'Directive 2011/93/EU',
    explanation: 'Somebody shown may be under 18, or was not shown to be of age.',
  },
  consent: {
    category: 'STATEMENT_CATEGORY_CYBER_VIOLENCE',
    keyword: 'KEYWORD_NON_CONSENSUAL_IMAGE_SHARING',
    law: 'Directive (EU) 2024/1385, Article 5',
    explanation: 'Somebody shown does not consent to it.',
  },
  illegal: {
    category: 'STATEMENT_CATEGORY_RISK_FOR_PUBLIC_SECURITY',
    keyword: 'KEYWORD_OTHER',
    law: 'National criminal law',
    explanation: 'The content is illegal or dangerous.',
  },
  copyright: {
    category: 'STATEMENT_CATEGORY_INTELLECTUAL_PROPERTY_INFRINGEMENTS',
    keyword: 'KEYWORD_COPYRIGHT_INFRINGEMENT',
    law: 'Directive 2001/29/EC',
    explanation: 'The owner of the rights did not permit it.',
  },
  harassment: {
    category: 'STATEMENT_CATEGORY_CYBER_VIOLENCE',
    keyword: 'KEYWORD_CYBER_HARASSMENT',
    law: null,
    explanation: 'It harasses somebody or incites hatred.',
  },
  impersonation: {
    category: 'STATEMENT_CATEGORY_SCAMS_AND_FRAUD',
    keyword: 'KEYWORD_IMPERSONATION_ACCOUNT_HIJACKING',
    law: null,
    explanation: 'It pretends to be somebody else.',
  },
  spam: {
    category: 'STATEMENT_CATEGORY_SCAMS_AND_FRAUD',
    keyword: 'KEYWORD_OTHER',
    law: null,
    explanation: 'It is spam, or a scam.',
  },
  terms: {
    category: 'STATEMENT_CATEGORY_OTHER_VIOLATION_TC',
    keyword: null,
    law: null,
    explanation: 'It breaks the terms of the site.',
  },
};

const CONTENT_OF: Readonly<Record<CaseKind, readonly (typeof CONTENT_TYPES)[number][]>> = {
  message: ['CONTENT_TYPE_TEXT'],
  person: ['CONTENT_TYPE_OTHER'],
  room: ['CONTENT_TYPE_VIDEO'],
  bio: ['CONTENT_TYPE_TEXT'],
  picture: ['CONTENT_TYPE_IMAGE'],
  post: ['CONTENT_TYPE_TEXT', 'CONTENT_TYPE_IMAGE'],
  recording: ['CONTENT_TYPE_VIDEO'],
  address: ['CONTENT_TYPE_OTHER'],
};

/** What `*_other` fields say where the database has no word: an account, or content by its address. */
const OTHER_CONTENT = { person: 'Account', address: 'Content named by its address' } as const;

export interface StatementDraft {
  readonly puid: string;
  readonly kind: CaseKind;
  readonly policy: Policy;
  readonly actions: Actions;
  readonly contentAt: Date;
  readonly decidedAt: Date;
  readonly isPerformer: boolean;
  /** The site hid it before somebody decided. */
  readonly wasHidden: boolean;
}

const dayOf = (at: Date | string): string => (typeof at === 'string' ? at : at.toISOString()).slice(0, 10);

/** The statement of a decision that restricts somebody; null for one without an effect. */
export function statementOf(draft: StatementDraft): Statement | null {
  const { puid, kind, policy, actions, contentAt, decidedAt, isPerformer, wasHidden } = draft;
  if (!hasEffect(actions)) return null;
  const { category, keyword, law, explanation } = REASONS_OF[policy];
  const { suspends } = actions;
  return {
    puid,
    ...(actions.removes ? { decision_visibility: ['DECISION_VISIBILITY_CONTENT_REMOVED' as const] } : {}),
    // A warning restricts nothing by itself: the database has no field of its own for it.
    ...(!actions.removes && suspends === null
      ? {
        decision_visibility: ['DECISION_VISIBILITY_OTHER' as const],
        decision_visibility_other: 'Warning, counted against the account for 180 days',
      }
      : {}),
    ...(suspends === null ? {} : {
      decision_account: suspends.until === null
        ? 'DECISION_ACCOUNT_TERMINATED' as const
        : 'DECISION_ACCOUNT_SUSPENDED' as const,
      ...(suspends.until === null ? {} : { end_date_account_restriction: dayOf(suspends.until) }),
    }),
    account_type: isPerformer ? 'ACCOUNT_TYPE_BUSINESS' : 'ACCOUNT_TYPE_PRIVATE',
    ...(law === null
      ? {
        decision_ground: 'DECISION_GROUND_INCOMPATIBLE_CONTENT' as const,
        incompatible_content_ground: `Terms of the site: ${policy}`,
        incompatible_content_explanation: explanation,
        incompatible_content_illegal: 'No' as const,
      }
      : {
        decision_ground: 'DECISION_GROUND_ILLEGAL_CONTENT' as const,
        illegal_content_legal_ground: law,
        illegal_content_explanation: explanation,
      }),
    content_type: CONTENT_OF[kind],
    ...(kind === 'person' || kind === 'address' ? { content_type_other: OTHER_CONTENT[kind] } : {}),
    category,
    ...(keyword === null ? {} : { category_specification: [keyword] }),
    ...(keyword === 'KEYWORD_OTHER' ? { category_specification_other: explanation } : {}),
    content_date: dayOf(contentAt),
    application_date: dayOf(decidedAt),
    decision_facts: `${explanation} The content was examined by a person after it was reported.`,
    source_type: 'SOURCE_ARTICLE_16',
    automated_detection: 'No',
    automated_decision: wasHidden ? 'AUTOMATED_DECISION_PARTIALLY' : 'AUTOMATED_DECISION_NOT_AUTOMATED',
  };
}

/** The database takes so many at once. */
export const STATEMENTS_PAGE = 100;
const MAX_FACTS = 5_000;
const MAX_EXPLANATION = 2_000;
const MAX_OTHER = 500;
const isDay = (day: string, from: string): boolean =>
  /^\d{4}-\d{2}-\d{2}$/u.test(day) && !Number.isNaN(Date.parse(day)) && day >= from && day <= '2038-01-01';
const fits = (text: string | undefined, limit: number): boolean =>
  text !== undefined && text.length > 0 && text.length <= limit;

/** Names of the fields that the database would refuse; none for a statement that it takes. */
export function statementFaults(of: Statement): readonly string[] {
  const faults: string[] = [];
  const need = (isRight: boolean, field: string) => {
    if (!isRight) faults.push(field);
  };
  const oneOf = <T>(list: readonly T[], value: T, field: string) => need(list.includes(value), field);
  need(/^[A-Za-z0-9_-]{1,500}$/u.test(of.puid), 'puid');
  need(of.decision_visibility !== undefined || of.decision_account !== undefined, 'decision');
  for (const item of of.decision_visibility ?? []) oneOf(VISIBILITY_DECISIONS, item, 'decision_visibility');
  if (of.decision_visibility?.includes('DECISION_VISIBILITY_OTHER')) {
    need(fits(of.decision_visibility_other, MAX_OTHER), 'decision_visibility_other');
  }
  if (of.decision_account) oneOf(ACCOUNT_DECISIONS, of.decision_account, 'decision_account');
  oneOf(GROUNDS, of.decision_ground, 'decision_ground');
  if (of.decision_ground === 'DECISION_GROUND_ILLEGAL_CONTENT') {
    need(fits(of.illegal_content_legal_ground, MAX_OTHER), 'illegal_content_legal_ground');
    need(fits(of.illegal_content_explanation, MAX_EXPLANATION), 'illegal_content_explanation');
  } else {
    need(fits(of.incompatible_content_ground, MAX_OTHER), 'incompatible_content_ground');
    need(fits(of.incompatible_content_explanation, MAX_EXPLANATION), 'incompatible_content_explanation');
  }
  need(of.content_type.length > 0, 'content_type');
  for (const item of of.content_type) oneOf(CONTENT_TYPES, item, 'content_type');
  if (of.content_type.includes('CONTENT_TYPE_OTHER')) {
    need(fits(of.content_type_other, MAX_OTHER), 'content_type_other');
  }
  oneOf(CATEGORIES, of.category, 'category');
  for (const item of of.category_specification ?? []) oneOf(KEYWORDS, item, 'category_specification');
  if (of.category_specification?.includes('KEYWORD_OTHER')) {
    need(fits(of.category_specification_other, MAX_OTHER), 'category_specification_other');
  }
  need(isDay(of.content_date, '2000-01-01'), 'content_date');
  need(isDay(of.application_date, '2020-01-01'), 'application_date');
  if (of.end_date_account_restriction !== undefined) {
    need(isDay(of.end_date_account_restriction, of.application_date), 'end_date_account_restriction');
  }
  need(fits(of.decision_facts, MAX_FACTS), 'decision_facts');
  oneOf(SOURCES, of.source_type, 'source_type');
  oneOf(AUTOMATION, of.automated_decision, 'automated_decision');
  return faults;
}
