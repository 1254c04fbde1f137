CREATE TYPE "public"."payment_status" AS ENUM('pending', 'approved', 'declined', 'refund-due');--> statement-breakpoint
CREATE TABLE "order_requests" (
	"user_id" text NOT NULL,
	"procedure" text NOT NULL,
	"request_id" text NOT NULL,
	"order_id" text NOT NULL,
	"payment_id" text,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "order_requests_user_id_procedure_request_id_pk" PRIMARY KEY("user_id","procedure","request_id")
);
--> statement-breakpoint
CREATE TABLE "payments" (
	"id" text PRIMARY KEY NOT NULL,
	"order_id" text NOT NULL,
	"amount_cents" integer NOT NULL,
	"method" text NOT NULL,
	"status" "payment_status" DEFAULT 'pending' NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"ask_again_at" timestamp (3) with time zone NOT NULL,
	"settled_at" timestamp (3) with time zone
);
--> statement-breakpoint
ALTER TABLE "coupons" ADD COLUMN "hold_ms" integer DEFAULT 900000 NOT NULL;--> statement-breakpoint
ALTER TABLE "orders" ADD COLUMN "gate_owed" integer;--> statement-breakpoint
ALTER TABLE "order_requests" ADD CONSTRAINT "order_requests_order_id_orders_id_fk" FOREIGN KEY ("order_id") REFERENCES "public"."orders"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "order_requests" ADD CONSTRAINT "order_requests_payment_id_payments_id_fk" FOREIGN KEY ("payment_id") REFERENCES "public"."payments"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "payments" ADD CONSTRAINT "payments_order_id_orders_id_fk" FOREIGN KEY ("order_id") REFERENCES "public"."orders"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "order_requests_created_at" ON "order_requests" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "payments_of_order" ON "payments" USING btree ("order_id","created_at");--> statement-breakpoint
CREATE UNIQUE INDEX "payments_one_open_per_order" ON "payments" USING btree ("order_id") WHERE "payments"."status" in ('pending', 'approved');--> statement-breakpoint
CREATE INDEX "payments_pending" ON "payments" USING btree ("ask_again_at") WHERE "payments"."status" = 'pending';--> statement-breakpoint
CREATE INDEX "payments_refund_due" ON "payments" USING btree ("settled_at") WHERE "payments"."status" = 'refund-due';--> statement-breakpoint
CREATE INDEX "orders_held" ON "orders" USING btree ("hold_until") WHERE "orders"."status" = 'confirmed';--> statement-breakpoint
CREATE INDEX "orders_gate_owed" ON "orders" USING btree ("coupon_id") WHERE "orders"."gate_owed" is not null;--> statement-breakpoint
ALTER TABLE "coupons" ADD CONSTRAINT "coupons_hold" CHECK ("coupons"."hold_ms" > 0);