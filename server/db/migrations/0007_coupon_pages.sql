CREATE SEQUENCE "public"."coupon_changes" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1;--> statement-breakpoint
DROP INDEX "coupons_ends_at";--> statement-breakpoint
ALTER TABLE "coupons" ADD COLUMN "change" bigint DEFAULT nextval('coupon_changes') NOT NULL;--> statement-breakpoint
CREATE INDEX "coupons_starts_at" ON "coupons" USING btree ("starts_at","id");--> statement-breakpoint
CREATE INDEX "coupons_sold_out" ON "coupons" USING btree ("ends_at","id") WHERE "coupons"."sold_out_at" is not null;--> statement-breakpoint
CREATE INDEX "coupons_created_at" ON "coupons" USING btree ("created_at","id");--> statement-breakpoint
CREATE INDEX "coupons_change" ON "coupons" USING btree ("change");--> statement-breakpoint
CREATE INDEX "coupons_ends_at" ON "coupons" USING btree ("ends_at","id");