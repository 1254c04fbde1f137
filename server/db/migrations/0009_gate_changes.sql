ALTER TABLE "coupons" ADD COLUMN "gate_changed_at" timestamp (3) with time zone DEFAULT now() NOT NULL;--> statement-breakpoint
ALTER TABLE "coupons" ADD COLUMN "dead_letter_at" timestamp (3) with time zone;--> statement-breakpoint
CREATE INDEX "coupons_gate_changed_at" ON "coupons" USING btree ("gate_changed_at");--> statement-breakpoint
CREATE INDEX "coupons_dead_letter_at" ON "coupons" USING btree ("dead_letter_at") WHERE "coupons"."dead_letter_at" is not null;--> statement-breakpoint
CREATE INDEX "coupons_without_next_round" ON "coupons" USING btree ("series") WHERE "coupons"."series" is not null and "coupons"."next_round_at" is null;--> statement-breakpoint
UPDATE "coupons" SET "dead_letter_at" = now() WHERE "ends_at" > now() - interval '8 days';
