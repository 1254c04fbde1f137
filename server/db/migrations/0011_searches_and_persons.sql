CREATE FUNCTION "public"."merchant_text"(name jsonb, category jsonb, address jsonb) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT coalesce(name ->> 'en', '') || E'\n' || coalesce(name ->> 'zh', '') || E'\n' ||
    coalesce(category ->> 'en', '') || E'\n' || coalesce(category ->> 'zh', '') || E'\n' ||
    coalesce(address ->> 'en', '') || E'\n' || coalesce(address ->> 'zh', '')
$$;--> statement-breakpoint
CREATE FUNCTION "public"."search_grams"(searched text, size integer) RETURNS text[] LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 1000 AS $$
  SELECT coalesce(array_agg(DISTINCT substr(lower(searched), n, size)), '{}')
  FROM generate_series(1, length(lower(searched)) - size + 1) AS n
$$;--> statement-breakpoint
CREATE FUNCTION "public"."merchant_grams"(name jsonb, category jsonb, address jsonb) RETURNS text[] LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 1000 AS $$
  SELECT "public"."search_grams"("public"."merchant_text"(name, category, address), 1) ||
    "public"."search_grams"("public"."merchant_text"(name, category, address), 2)
$$;--> statement-breakpoint
CREATE INDEX "merchants_grams" ON "merchants" USING gin (merchant_grams("name", "category", "address"));--> statement-breakpoint
CREATE INDEX "limit_person_overrides_version" ON "limit_person_overrides" USING btree ("policy","level","version");--> statement-breakpoint
CREATE INDEX "limit_person_overrides_until" ON "limit_person_overrides" USING btree ("until") WHERE "limit_person_overrides"."until" is not null;