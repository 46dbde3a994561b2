(* Rounding to nearest, ties to even, into binary64, and what the other files need of it.

   RN is Flocq's rounding operator with subnormal numbers and without a largest number. An operation
   of IEEE 754 whose result is finite is RN of the exact one (finite_plus, finite_mult): overflow
   leaves Inf or NaN, which the library looks for. *)
From Coq Require Import ZArith Reals Lra Lia.
From Flocq Require Import Core Plus_error Relative BinarySingleNaN.

Open Scope R_scope.

Notation fexp64 := (FLT_exp (-1074) 53).
Notation F := (generic_format radix2 fexp64).
Notation RN := (round radix2 fexp64 ZnearestE).
Notation pow2 := (bpow radix2).

#[global] Instance prec_53 : Prec_gt_0 53 := eq_refl.
#[global] Instance prec_emax_64 : Prec_lt_emax 53 1024 := eq_refl.
#[global] Instance prec_24 : Prec_gt_0 24 := eq_refl.
#[global] Instance prec_emax_32 : Prec_lt_emax 24 128 := eq_refl.

(* Relative error of a rounding, and what it loses below the normal range. *)
Definition u := pow2 (-53).
Definition eta := pow2 (-1075).

(* Powers of two as rational numbers, for lra. *)
Lemma power_positive p n : Z.pow_pos 2 p = n -> pow2 (Zpos p) = IZR n.
Proof. now intros <-. Qed.

Lemma power_negative p n : Z.pow_pos 2 p = n -> pow2 (Zneg p) = / IZR n.
Proof. now intros <-. Qed.

Ltac numbers :=
  unfold u, eta in *;
  repeat match goal with
  | |- context [bpow radix2 (Zpos ?p)] =>
    let n := eval vm_compute in (Z.pow_pos 2 p) in
    rewrite (power_positive p n) by (vm_compute; reflexivity)
  | |- context [bpow radix2 (Zneg ?p)] =>
    let n := eval vm_compute in (Z.pow_pos 2 p) in
    rewrite (power_negative p n) by (vm_compute; reflexivity)
  end.

Lemma u_pos : 0 < u.
Proof. apply bpow_gt_0. Qed.

Lemma eta_pos : 0 < eta.
Proof. apply bpow_gt_0. Qed.

Lemma u_small : u <= / 1024.
Proof. unfold u; simpl; lra. Qed.

Lemma u_is : u_ro radix2 53 = u.
Proof. unfold u_ro, u. simpl. lra. Qed.

Lemma F_RN x : F (RN x).
Proof. apply generic_format_round; auto with typeclass_instances. Qed.

Lemma RN_F x : F x -> RN x = x.
Proof. intros H. apply round_generic; auto with typeclass_instances. Qed.

Lemma RN_le x y : x <= y -> RN x <= RN y.
Proof. apply round_le; auto with typeclass_instances. Qed.

Lemma RN_0 : RN 0 = 0.
Proof. apply round_0; auto with typeclass_instances. Qed.

Lemma RN_opp x : RN (- x) = - RN x.
Proof. apply round_NE_opp. Qed.

Lemma RN_abs x : Rabs (RN x) = RN (Rabs x).
Proof.
  unfold Rabs. destruct (Rcase_abs x) as [H|H].
  - assert (K : RN x <= RN 0) by (apply RN_le; lra). rewrite RN_0 in K.
    rewrite RN_opp. destruct (Rcase_abs (RN x)); lra.
  - assert (K : RN 0 <= RN x) by (apply RN_le; lra). rewrite RN_0 in K.
    destruct (Rcase_abs (RN x)); lra.
Qed.

Lemma RN_pos x : 0 <= x -> 0 <= RN x.
Proof. intros H. rewrite <- RN_0. now apply RN_le. Qed.

(* |x| <= y for a number y bounds the rounded one. *)
Lemma RN_abs_le x y : F y -> Rabs x <= y -> Rabs (RN x) <= y.
Proof. intros Fy H. rewrite RN_abs. rewrite <- (RN_F y Fy). now apply RN_le. Qed.

Lemma F_opp x : F x -> F (- x).
Proof. apply generic_format_opp. Qed.

Lemma F_abs x : F x -> F (Rabs x).
Proof. apply generic_format_abs. Qed.

Lemma F_0 : F 0.
Proof. apply generic_format_0. Qed.

(* m 2^e with at most 53 bits. *)
Lemma F_int m e : (Z.abs m <= 2 ^ 53)%Z -> (-1074 <= e)%Z -> F (IZR m * pow2 e).
Proof.
  intros Hm He.
  destruct (Z.eq_dec (Z.abs m) (2 ^ 53)) as [E|E].
  - assert (D : IZR m * pow2 e = pow2 (53 + e) \/ IZR m * pow2 e = - pow2 (53 + e)).
    { rewrite bpow_plus. change (pow2 53) with (IZR (2 ^ 53)).
      destruct (Z.abs_eq_or_opp m) as [A|A].
      - left. f_equal. f_equal. lia.
      - right. replace m with (- 2 ^ 53)%Z by lia. rewrite opp_IZR. ring. }
    assert (P : F (pow2 (53 + e))).
    { apply generic_format_bpow. unfold FLT_exp. lia. }
    destruct D as [-> | ->]; [exact P | now apply F_opp].
  - change (F (F2R (Float radix2 m e))).
    apply generic_format_FLT. exists (Float radix2 m e); simpl; auto; lia.
Qed.

(* An addition has no underflow error. *)
Lemma add_error x y : F x -> F y -> Rabs (RN (x + y) - (x + y)) <= u * Rabs (RN (x + y)).
Proof.
  intros Fx Fy.
  destruct (FLT_plus_error_N_round_ex radix2 (-1074) 53 (fun z => negb (Z.even z)) x y Fx Fy)
    as [d [Hd E]].
  rewrite u_is in Hd. set (s := RN (x + y)) in *. rewrite E.
  replace (s - s * (1 + d)) with (- (d * s)) by ring.
  rewrite Rabs_Ropp, Rabs_mult. apply Rmult_le_compat_r; auto. apply Rabs_pos.
Qed.

Lemma add_error_exact x y : F x -> F y -> Rabs (RN (x + y) - (x + y)) <= u * Rabs (x + y).
Proof.
  intros Fx Fy.
  destruct (FLT_plus_error_N_ex radix2 (-1074) 53 (fun z => negb (Z.even z)) x y Fx Fy)
    as [d [Hd E]].
  rewrite u_is in Hd. rewrite E.
  replace ((x + y) * (1 + d) - (x + y)) with (d * (x + y)) by ring.
  rewrite Rabs_mult. apply Rmult_le_compat_r; [apply Rabs_pos|].
  apply Rle_trans with (1 := Hd). pose proof u_pos.
  apply Rmult_le_reg_r with (1 + u); [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra.
  nra.
Qed.

Lemma round_error x : Rabs (RN x - x) <= u * Rabs x + eta.
Proof.
  destruct (relative_error_N_FLT'_ex radix2 (-1074) 53 eq_refl (fun z => negb (Z.even z)) x)
    as [d [h [Hd [Hh [_ E]]]]].
  rewrite u_is in Hd. rewrite E.
  replace (x * (1 + d) + h - x) with (d * x + h) by ring.
  apply Rle_trans with (1 := Rabs_triang _ _). apply Rplus_le_compat.
  - rewrite Rabs_mult. apply Rmult_le_compat_r; [apply Rabs_pos|].
    apply Rle_trans with (1 := Hd). pose proof u_pos.
    apply Rmult_le_reg_r with (1 + u); [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra.
    nra.
  - apply Rle_trans with (1 := Hh). unfold eta. simpl. lra.
Qed.

(* Half a unit in the last place of the numbers below 2^k. *)
Lemma round_error_below x k : Rabs x <= pow2 k -> (-1021 <= k)%Z ->
  Rabs (RN x - x) <= pow2 (k - 54).
Proof.
  intros Hx Hk.
  destruct (Rle_lt_or_eq_dec _ _ Hx) as [H|H].
  - apply Rle_trans with (1 := error_le_half_ulp radix2 fexp64 _ x).
    apply Rle_trans with (/ 2 * pow2 (k - 53)).
    + apply Rmult_le_compat_l; [lra|].
      apply Rle_trans with (ulp radix2 fexp64 (pow2 (k - 1))).
      * rewrite <- (ulp_abs _ _ x). destruct (Rle_or_lt (Rabs x) (pow2 (k - 1))) as [L|L].
        -- apply ulp_le_pos; auto with typeclass_instances. apply Rabs_pos.
        -- right. unfold ulp. rewrite !Req_bool_false.
           ++ f_equal. unfold cexp. f_equal. rewrite (mag_unique_pos radix2 (Rabs x) k).
              ** now rewrite mag_bpow; lia.
              ** split; [lra|exact H].
           ++ apply Rgt_not_eq, bpow_gt_0.
           ++ apply Rgt_not_eq. apply Rlt_trans with (2 := L). apply bpow_gt_0.
      * rewrite ulp_bpow. apply bpow_le. unfold FLT_exp. lia.
    + replace (k - 53)%Z with (1 + (k - 54))%Z by ring. rewrite bpow_plus. simpl (pow2 1). lra.
  - assert (E : RN x = x).
    { apply RN_F. assert (P : F (pow2 k)) by (apply generic_format_bpow; unfold FLT_exp; lia).
      unfold Rabs in H. destruct (Rcase_abs x); [|now rewrite H].
      replace x with (- pow2 k) by lra. now apply F_opp. }
    rewrite E, Rminus_diag_eq, Rabs_R0 by easy. apply bpow_ge_0.
Qed.

(* A sum of two numbers that rounds to 0 is 0. *)
Lemma add_zero x y : F x -> F y -> RN (x + y) = 0 -> x + y = 0.
Proof.
  intros Fx Fy H. pose proof (add_error x y Fx Fy) as E. rewrite H in E.
  rewrite Rabs_R0, Rmult_0_r in E. unfold Rabs in E. destruct (Rcase_abs _); lra.
Qed.

(* binary64 of IEEE 754. *)
Notation double := (binary_float 53 1024).
Notation dplus := (Bplus (prec := 53) (emax := 1024) mode_NE).
Notation dminus := (Bminus (prec := 53) (emax := 1024) mode_NE).
Notation dmult := (Bmult (prec := 53) (emax := 1024) mode_NE).

Lemma F_B2R (x : double) : F (B2R x).
Proof. apply (generic_format_B2R 53 1024). Qed.

Lemma overflow_not_finite (x : double) s :
  B2SF x = binary_overflow 53 1024 mode_NE s -> is_finite x = false.
Proof. destruct x; simpl; auto; discriminate. Qed.

Lemma finite_plus (x y : double) : is_finite (dplus x y) = true ->
  is_finite x = true /\ is_finite y = true /\ B2R (dplus x y) = RN (B2R x + B2R y).
Proof.
  intros H.
  assert (A : is_finite x = true /\ is_finite y = true).
  { destruct x, y; simpl in H; try discriminate; auto.
    destruct (Bool.eqb s s0); discriminate. }
  destruct A as [A B]. split; auto. split; auto.
  pose proof (Bplus_correct 53 1024 _ _ mode_NE x y A B) as C.
  destruct Rlt_bool; [apply C|].
  rewrite (overflow_not_finite _ _ (proj1 C)) in H. discriminate.
Qed.

Lemma finite_minus (x y : double) : is_finite (dminus x y) = true ->
  is_finite x = true /\ is_finite y = true /\ B2R (dminus x y) = RN (B2R x - B2R y).
Proof.
  intros H.
  assert (A : is_finite x = true /\ is_finite y = true).
  { destruct x, y; simpl in H; try discriminate; auto.
    destruct (Bool.eqb s (negb s0)); discriminate. }
  destruct A as [A B]. split; auto. split; auto.
  pose proof (Bminus_correct 53 1024 _ _ mode_NE x y A B) as C.
  destruct Rlt_bool; [apply C|].
  rewrite (overflow_not_finite _ _ (proj1 C)) in H. discriminate.
Qed.

Lemma finite_mult (x y : double) : is_finite (dmult x y) = true ->
  is_finite x = true /\ is_finite y = true /\ B2R (dmult x y) = RN (B2R x * B2R y).
Proof.
  intros H. pose proof (Bmult_correct 53 1024 _ _ mode_NE x y) as C.
  destruct Rlt_bool.
  - destruct C as [E [I _]]. rewrite I in H. apply andb_prop in H. destruct H. auto.
  - rewrite (overflow_not_finite _ _ C) in H. discriminate.
Qed.
