-- What whoever is suspended reads of it: one of the causes that have a text, and what staff wrote beside it.
alter table accounts.people
  add column suspension_cause text
    check (suspension_cause in ('terms', 'payment', 'conduct', 'age', 'security', 'other')),
  add column suspension_message text not null default '';
