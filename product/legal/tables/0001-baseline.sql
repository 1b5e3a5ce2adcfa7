-- Documents that counsel has reviewed. Documents without a row are templates.
create schema legal;

create table legal.reviews (
  operator_id bigint not null,
  site_id bigint not null,
  document text not null,
  reviewed_at timestamptz not null,
  primary key (operator_id, site_id, document)
);
select platform.own_table('legal.reviews');
