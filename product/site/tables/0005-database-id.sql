-- A random id of this database, in the row of its first operator: the folder of blobs has the same, so that
-- no blob is removed because another database doesn't name it.
alter table site.operators add column database_id text;

-- The owner lists every operator (`every_operator`). The application role still reads that of its unit alone.
create policy owner_lists on site.operators for select to current_user using (true);
