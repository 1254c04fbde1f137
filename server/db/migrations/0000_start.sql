CREATE TYPE "public"."coupon_kind" AS ENUM('seckill', 'claim');--> statement-breakpoint
CREATE TYPE "public"."order_status" AS ENUM('confirmed', 'paid', 'cancelled', 'expired');--> statement-breakpoint
CREATE TYPE "public"."user_role" AS ENUM('shopper', 'admin');--> statement-breakpoint
CREATE TABLE "coupons" (
	"id" text PRIMARY KEY NOT NULL,
	"merchant_id" text NOT NULL,
	"kind" "coupon_kind" NOT NULL,
	"title" jsonb NOT NULL,
	"face_value_cents" integer NOT NULL,
	"price_cents" integer NOT NULL,
	"stock" integer,
	"sold" integer DEFAULT 0 NOT NULL,
	"starts_at" timestamp (3) with time zone NOT NULL,
	"ends_at" timestamp (3) with time zone NOT NULL,
	"generation" integer DEFAULT 0 NOT NULL,
	"gate_claimed_at" timestamp (3) with time zone,
	"sold_out_at" timestamp (3) with time zone,
	"round" integer DEFAULT 1 NOT NULL,
	"series" text,
	"next_round_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "coupons_sold_within_stock" CHECK ("coupons"."sold" >= 0 and ("coupons"."stock" is null or "coupons"."sold" <= "coupons"."stock")),
	CONSTRAINT "coupons_stock_by_kind" CHECK (("coupons"."kind" = 'seckill') = ("coupons"."stock" is not null)),
	CONSTRAINT "coupons_prices" CHECK ("coupons"."face_value_cents" > 0 and "coupons"."price_cents" >= 0),
	CONSTRAINT "coupons_period" CHECK ("coupons"."starts_at" < "coupons"."ends_at")
);
--> statement-breakpoint
CREATE TABLE "merchants" (
	"id" text PRIMARY KEY NOT NULL,
	"name" jsonb NOT NULL,
	"category" jsonb NOT NULL,
	"address" jsonb NOT NULL,
	"about" jsonb NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "orders" (
	"id" text PRIMARY KEY NOT NULL,
	"coupon_id" text NOT NULL,
	"user_id" text NOT NULL,
	"status" "order_status" NOT NULL,
	"one_per_shopper" boolean NOT NULL,
	"code" text NOT NULL,
	"request_id" text,
	"created_at" timestamp (3) with time zone NOT NULL,
	"confirmed_at" timestamp (3) with time zone,
	"hold_until" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "shared_secrets" (
	"name" text PRIMARY KEY NOT NULL,
	"value" text NOT NULL
);
--> statement-breakpoint
CREATE TABLE "users" (
	"id" text PRIMARY KEY NOT NULL,
	"name" text NOT NULL,
	"email" text,
	"role" "user_role" DEFAULT 'shopper' NOT NULL,
	"is_demo" boolean DEFAULT false NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
ALTER TABLE "coupons" ADD CONSTRAINT "coupons_merchant_id_merchants_id_fk" FOREIGN KEY ("merchant_id") REFERENCES "public"."merchants"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "orders" ADD CONSTRAINT "orders_coupon_id_coupons_id_fk" FOREIGN KEY ("coupon_id") REFERENCES "public"."coupons"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "coupons_merchant" ON "coupons" USING btree ("merchant_id");--> statement-breakpoint
CREATE INDEX "coupons_ends_at" ON "coupons" USING btree ("ends_at");--> statement-breakpoint
CREATE UNIQUE INDEX "coupons_series_round" ON "coupons" USING btree ("series","round");--> statement-breakpoint
CREATE UNIQUE INDEX "orders_one_open_per_shopper" ON "orders" USING btree ("coupon_id","user_id") WHERE "orders"."one_per_shopper" and "orders"."status" in ('confirmed', 'paid');--> statement-breakpoint
CREATE UNIQUE INDEX "orders_request" ON "orders" USING btree ("coupon_id","user_id","request_id");--> statement-breakpoint
CREATE INDEX "orders_of_user" ON "orders" USING btree ("user_id","created_at");--> statement-breakpoint
CREATE UNIQUE INDEX "users_email" ON "users" USING btree ("email");--> statement-breakpoint
CREATE UNIQUE INDEX "users_demo_name" ON "users" USING btree ("name") WHERE "users"."is_demo";