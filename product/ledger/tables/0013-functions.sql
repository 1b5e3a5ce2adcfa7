-- Functions that earlier migrations define and that have other names now, in tables/functions.
drop aggregate ledger.chain(text);
drop function
  ledger.decide, ledger.draw, ledger.draw_plain, ledger.enter, ledger.enter_because, ledger.enter_plain,
  ledger.find_plain, ledger.follow_legs, ledger.follow_plan, ledger.gaps, ledger.hash_of, ledger.link,
  ledger.may_spend, ledger.repay, ledger.resolve_part, ledger.rest_of, ledger.seal, ledger.set_credit,
  ledger.spent_of, ledger.standing_refusal, ledger.tell_plain, ledger.text_of, ledger.touched_by_rows;
