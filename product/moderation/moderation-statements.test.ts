import { describe, expect, it } from 'vitest';
import { NO_ACTIONS, POLICIES, type Actions } from './rules/cases.ts';
import { CASE_KINDS } from './rules/queues.ts';
import { statementFaults, statementOf, type Statement, type StatementDraft } from './rules/statements.ts';

const AT = new Date('2026-11-27T10:00:00Z');
const draft = (more: Partial<StatementDraft> = {}): StatementDraft => ({
  puid: 'case-12_a',
  kind: 'picture',
  policy: 'consent',
  actions: { removes: true, warns: false, suspends: null },
  contentAt: new Date('2026-11-20T10:00:00Z'),
  decidedAt: AT,
  isPerformer: true,
  wasHidden: false,
  ...more,
});

describe('a statement of reasons', () => {
  it('has the names and values of the EU’s database', () => {
    expect(statementOf(draft())).toEqual({
      puid: 'case-12_a',
      decision_visibility: ['DECISION_VISIBILITY_CONTENT_REMOVED'],
      account_type: 'ACCOUNT_TYPE_BUSINESS',
      decision_ground: 'DECISION_GROUND_ILLEGAL_CONTENT',
      illegal_content_legal_ground: 'Directive (EU) 2024/1385, Article 5',
      illegal_content_explanation: 'Somebody shown does not consent to it.',
      content_type: ['CONTENT_TYPE_IMAGE'],
      category: 'STATEMENT_CATEGORY_CYBER_VIOLENCE',
      category_specification: ['KEYWORD_NON_CONSENSUAL_IMAGE_SHARING'],
      content_date: '2026-11-20',
      application_date: '2026-11-27',
      decision_facts:
        'Somebody shown does not consent to it. The content was examined by a person after it was reported.',
      source_type: 'SOURCE_ARTICLE_16',
      automated_detection: 'No',
      automated_decision: 'AUTOMATED_DECISION_NOT_AUTOMATED',
    });
  });

  it('is written for each policy, kind and action as the database takes it', () => {
    const suspends = { from: AT.toISOString(), until: '2026-12-27T10:00:00.000Z' };
    const actions: Actions[] = [
      { removes: true, warns: false, suspends: null },
      { removes: false, warns: true, suspends: null },
      { removes: false, warns: false, suspends },
      { removes: true, warns: true, suspends: { ...suspends, until: null } },
    ];
    for (const policy of POLICIES) {
      for (const kind of CASE_KINDS) {
        for (const action of actions) {
          const statement = statementOf(draft({ policy, kind, actions: action, wasHidden: true }));
          expect([policy, kind, statementFaults(statement as Statement)]).toEqual([policy, kind, []]);
        }
      }
    }
    expect(statementOf(draft({ actions: NO_ACTIONS }))).toBeNull();
    expect(statementOf(draft({ actions: { ...NO_ACTIONS, suspends }, isPerformer: false }))).toMatchObject({
      decision_account: 'DECISION_ACCOUNT_SUSPENDED',
      end_date_account_restriction: '2026-12-27',
      account_type: 'ACCOUNT_TYPE_PRIVATE',
    });
  });

  it('with a value that the database does not know is refused, field by field', () => {
    const right = statementOf(draft()) as Statement;
    const faultsOf = (more: object) => statementFaults({ ...right, ...more });
    expect(faultsOf({ puid: 'with space' })).toEqual(['puid']);
    expect(faultsOf({ category: 'STATEMENT_CATEGORY_PORNOGRAPHY_OR_SEXUALIZED_CONTENT' })).toEqual([
      'category',
    ]);
    expect(faultsOf({ content_date: '1999-12-31', application_date: '27.11.2026' }))
      .toEqual(['content_date', 'application_date']);
    expect(faultsOf({ decision_visibility: undefined })).toEqual(['decision']);
    expect(faultsOf({ decision_facts: 'x'.repeat(5_001) })).toEqual(['decision_facts']);
    expect(faultsOf({ illegal_content_legal_ground: undefined })).toEqual(['illegal_content_legal_ground']);
    expect(faultsOf({ content_type: ['CONTENT_TYPE_OTHER'] })).toEqual(['content_type_other']);
    expect(faultsOf({ automated_decision: 'Yes', source_type: 'SOURCE_OTHER' }))
      .toEqual(['source_type', 'automated_decision']);
  });
});
